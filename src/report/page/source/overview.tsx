// The whole trace in one narrow column: who ran when, and where it failed. A click goes there.
import { useEffect, useRef } from "preact/hooks";
import { ROW, type View } from "./geometry";
import type { Story } from "./model";

const WIDTH = 26;

interface Props {
  story: Story;
  view: View;
  top: number;
  height: number;
  select: (row: number) => void;
}

export function Overview({ story, view, top, height, select }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const paint = canvas.current!.getContext("2d")!;
    const tall = (canvas.current!.height = Math.max(1, canvas.current!.clientHeight));
    canvas.current!.width = WIDTH;
    const threads = Math.max(1, story.data.threads.length), wide = WIDTH / threads;
    const share = Math.max(1, tall / Math.max(1, view.size));
    let before = "";
    for (let at = 0; at < view.size; ++at) {
      const row = view.rows[at]!, kind = story.kind(row), thread = story.thread(row);
      const bad = kind === "failure" || kind === "racing";
      const y = (at * tall) / view.size;
      const spot = `${thread} ${Math.floor(y)} ${bad}`;
      if (spot === before && !bad) continue; // the same pixel again
      before = spot;
      paint.fillStyle = bad ? "#d33" : `hsl(${Math.round((210 + thread * 137.508) % 360)} 55% 55%)`;
      paint.fillRect(bad ? 0 : thread * wide, y, bad ? WIDTH : Math.max(1.5, wide - 1), bad ? 2 : share);
    }
  }, [story, view, height]);
  const all = Math.max(1, view.size * ROW);
  return (
    <div class="overview" title="the whole trace" onClick={(event) => {
      const box = event.currentTarget.getBoundingClientRect();
      const at = Math.floor(((event.clientY - box.top) / box.height) * view.size);
      select(view.rows[Math.min(view.size - 1, Math.max(0, at))]!);
    }}>
      <canvas ref={canvas} />
      <div class="window" style={{ top: `${(top / all) * 100}%`, height: `${Math.min(100, (height / all) * 100)}%` }} />
    </div>
  );
}
