// Hues that stay apart for any number of threads or objects: steps of the golden angle.
const hue = (number: number, start: number) => Math.round((start + number * 137.508) % 360);

export const threadColour = (thread: number) => `hsl(${hue(thread, 210)} var(--thread-tone))`;
export const objectColour = (object: number) => `hsl(${hue(object, 25)} var(--object-tone))`;
