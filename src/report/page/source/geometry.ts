// Where things stand: rows downward, a lane for each thread.
import type { Story } from "./model";

export const ROW = 24;
const NUMBER = 60; // the column of step numbers
const NARROWEST = 168; // a lane that holds its own text
const BAR = 5;
const MOST_BARS = 4;

export interface Layout {
  wide: boolean; // text stands in the lanes; else lanes are tracks with the text beside them
  lane: number; // width
  left: (thread: number) => number;
  text: (thread: number) => number; // where text begins
  width: number;
}

// Bars of one lane that are there at the same time stand beside each other.
export function barSlots(story: Story): { slot: number[]; most: number[] } {
  const free: number[][] = story.data.threads.map(() => []); // by slot: row from which it is free
  const slot = story.data.holds.map(([thread, , first, last]) => {
    const lane = free[thread] ?? [];
    let at = lane.findIndex((row) => row <= first);
    if (at < 0) at = lane.length;
    lane[at] = last < 0 ? Infinity : last;
    return Math.min(at, MOST_BARS - 1);
  });
  return { slot, most: free.map((lane) => Math.min(lane.length, MOST_BARS)) };
}

export function layoutFor(story: Story, available: number, bars: number[]): Layout {
  const threads = Math.max(1, story.data.threads.length);
  const even = (available - NUMBER) / (threads + 0.5); // a text may reach into the lanes right of it; the last has none
  const wide = even >= NARROWEST;
  const lane = wide ? even : Math.max(8, Math.min(22, (available * 0.4) / threads));
  const left = (thread: number) => NUMBER + thread * lane;
  return {
    wide,
    lane,
    left,
    text: (thread) => (wide ? left(thread) + (bars[thread] ?? 0) * BAR + 12 : NUMBER + threads * lane + 8),
    width: Math.max(available, wide ? 0 : NUMBER + threads * lane + 160),
  };
}

export const barLeft = (layout: Layout, thread: number, slot: number) =>
  layout.left(thread) + 3 + (layout.wide ? slot * BAR : Math.min(slot * 4, layout.lane - 6));

// The rows that are shown, and where each row of the story stands among them.
export class View {
  readonly rows: Int32Array;
  private readonly positions: Int32Array;

  constructor(story: Story, keyOnly: boolean) {
    const rows: number[] = [];
    this.positions = new Int32Array(story.size);
    for (let row = 0; row < story.size; ++row) {
      this.positions[row] = rows.length;
      if (!keyOnly || story.data.rows.key[row]) rows.push(row);
    }
    this.rows = Int32Array.from(rows);
  }
  get size() { return this.rows.length; }
  shows(row: number) { return this.rows[this.positions[row]!] === row; }
  position(row: number) { return Math.min(this.positions[row]!, Math.max(0, this.size - 1)); }
  // How many steps are left out above what stands at this position.
  gapBefore(position: number) {
    return this.rows[position]! - (position > 0 ? this.rows[position - 1]! : -1) - 1;
  }
}
