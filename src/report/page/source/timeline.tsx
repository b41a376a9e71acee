// Threads as lanes with time downward. Only the rows in sight are in the document.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { objectColour, threadColour } from "./colours";
import { barLeft, barSlots, layoutFor, ROW, type Layout, type View } from "./geometry";
import { EDGES, type Story } from "./model";
import { Overview } from "./overview";

const BEYOND = 12; // rows above and below what is in sight
const MOST_ARROWS = 200;

interface Props {
  story: Story;
  view: View;
  selected: number;
  found: Set<number>;
  allArrows: boolean;
  select: (row: number) => void;
}

export function Timeline({ story, view, selected, found, allArrows, select }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, width: 900, height: 600 });
  const slots = useMemo(() => barSlots(story), [story]);
  const layout = useMemo(() => layoutFor(story, sight.width, slots.most), [story, sight.width, slots]);

  useLayoutEffect(() => {
    const element = box.current!;
    const look = () =>
      setSight({ top: element.scrollTop, width: element.clientWidth, height: element.clientHeight });
    look();
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    let due = 0;
    const scrolled = () => { due ||= requestAnimationFrame(() => ((due = 0), look())); };
    element.addEventListener("scroll", scrolled, { passive: true });
    return () => (watcher.disconnect(), element.removeEventListener("scroll", scrolled), cancelAnimationFrame(due));
  }, []);

  // Whoever selects a row wants to see it, with some rows around it.
  useEffect(() => {
    const element = box.current!, top = view.position(selected) * ROW, room = element.clientHeight - 2 * ROW;
    if (top < element.scrollTop + ROW || top > element.scrollTop + room - ROW)
      element.scrollTop = Math.max(0, top - room / 2);
  }, [selected, view]);

  const first = Math.max(0, Math.floor(sight.top / ROW) - BEYOND);
  const last = Math.min(view.size, Math.ceil((sight.top + sight.height) / ROW) + BEYOND);
  const rows = [];
  for (let at = first; at < last; ++at)
    rows.push(
      <Row key={view.rows[at]} {...{ story, layout, select }} row={view.rows[at]!} at={at} gap={view.gapBefore(at)}
        selected={view.rows[at] === selected} found={found.has(view.rows[at]!)} />,
    );
  return (
    <div class="timeline">
      <div class="steps" ref={box} tabIndex={0} role="listbox" aria-label="steps">
        <div class="lanes" style={{ width: layout.width }}>
          {story.data.threads.map(({ name, end }, thread) => (
            <div key={thread} class={layout.wide ? "lane" : "lane narrow"} title={`${name}: ${end}`}
              style={{ left: layout.left(thread), width: layout.lane, color: threadColour(thread) }}>
              {layout.wide ? name : ""}
            </div>
          ))}
          {!layout.wide && <div class="lane-names">{story.data.threads.length} threads</div>}
        </div>
        <div class="rows" style={{ height: view.size * ROW, width: layout.width }}>
          <Marks {...{ story, view, layout, first, last }} slots={slots.slot} />
          {rows}
          <Arrows {...{ story, view, layout, first, last, selected }} all={allArrows} />
        </div>
      </div>
      {view.size * ROW > sight.height && <Overview {...{ story, view, select }} top={sight.top} height={sight.height} />}
    </div>
  );
}

interface RowProps {
  story: Story;
  layout: Layout;
  row: number;
  at: number;
  gap: number;
  selected: boolean;
  found: boolean;
  select: (row: number) => void;
}

function Row({ story, layout, row, at, gap, selected, found, select }: RowProps) {
  const kind = story.kind(row), thread = story.thread(row);
  const name = `row ${kind}${selected ? " selected" : ""}${found ? " found" : ""}${gap > 0 ? " gap" : ""}`;
  return (
    <div class={name} style={{ top: at * ROW }} data-row={row} role="option" aria-selected={selected}
      title={gap > 0 ? `${gap} more above` : undefined} onClick={() => select(row)}>
      <span class="number">{story.number(row) || ""}</span>
      {!layout.wide && kind !== "switch" && (
        <span class="dot" style={{ left: layout.left(thread) + layout.lane - 8, background: threadColour(thread) }} />
      )}
      <span class="what" style={{ left: layout.text(thread) }}>
        {!layout.wide && <b style={{ color: threadColour(thread) }}>{story.threadName(thread)} </b>}
        <span class="text">{story.text(row)}</span>
        {kind !== "switch" && <span class="place">{story.place(row)}</span>}
      </span>
    </div>
  );
}

interface MarksProps {
  story: Story;
  view: View;
  layout: Layout;
  first: number;
  last: number;
}

// Bars where a lock is held, hatched stretches where a thread waits.
function Marks({ story, view, layout, first, last, slots }: MarksProps & { slots: number[] }) {
  const marks: JSX.Element[] = [];
  const within = (from: number, to: number): [number, number] | undefined => {
    const top = view.position(from), end = to < 0 ? view.size : view.position(to);
    return top < last && end >= first ? [Math.max(top, first - 2), Math.min(end, last + 2)] : undefined;
  };
  story.data.waits.forEach(([thread, from, to], wait) => {
    const rows = within(from, to);
    if (rows)
      marks.push(
        <div key={"w" + wait} class="wait" style={{
          left: layout.left(thread) + 1, width: layout.lane - 2, top: (rows[0] + 1) * ROW,
          height: Math.max(0, rows[1] - rows[0] - 1) * ROW }} />,
      );
  });
  story.data.holds.forEach(([thread, object, from, to, shared], hold) => {
    const rows = within(from, to);
    if (rows)
      marks.push(
        <div key={"h" + hold} class={shared ? "bar shared" : "bar"} title={`holds ${story.data.objects[object]?.name}`}
          style={{
            left: barLeft(layout, thread, slots[hold]!), top: rows[0] * ROW + 4, color: objectColour(object),
            height: Math.max(1, rows[1] - rows[0]) * ROW + (to < 0 ? 0 : 14) }} />,
      );
  });
  return <>{marks}</>;
}

interface ArrowProps extends MarksProps {
  selected: number;
  all: boolean;
}

function Arrows({ story, view, layout, first, last, selected, all }: ArrowProps) {
  const wanted = new Set<number>();
  const { into, outOf } = story.edges();
  const take = (row: number) => {
    for (const edge of [...(into.get(row) ?? []), ...(outOf.get(row) ?? [])]) wanted.add(edge);
  };
  if (all) for (let at = first; at < last && wanted.size < MOST_ARROWS; ++at) take(view.rows[at]!);
  take(selected);
  const x = (row: number) => layout.left(story.thread(row)) + (layout.wide ? 8 : layout.lane / 2);
  const y = (row: number) => (view.position(row) - first) * ROW + ROW / 2; // in the drawing, which begins at `first`
  const paths = [...wanted].map((edge) => {
    const [from, to, kind] = story.data.edges[edge]!;
    const own = from === selected || to === selected;
    const bend = Math.max(20, Math.abs(x(to) - x(from)) / 2), side = x(to) > x(from) ? 1 : -1;
    const path = `M${x(from)} ${y(from)}C${x(from) + side * bend} ${y(from)} ${x(to) - side * bend} ${y(to)} ${x(to)} ${y(to)}`;
    return <path key={edge} class={`edge ${EDGES[kind]}${own ? " own" : ""}`} d={path} marker-end="url(#head)" />;
  });
  return (
    <svg class="arrows" width={layout.width} height={Math.max(0, last - first) * ROW} style={{ top: first * ROW }}>
      <marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
        <path d="M0 0L8 4L0 8z" fill="context-stroke" />
      </marker>
      {paths}
    </svg>
  );
}
