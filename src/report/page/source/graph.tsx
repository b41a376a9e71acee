// Who waits for whom at the end: threads and objects on a ring, in the order of the cycle.
import { objectColour, threadColour } from "./colours";
import type { Story } from "./model";

interface Node {
  key: string;
  label: string;
  thread: boolean;
  colour: string;
}

interface Arrow {
  from: string;
  to: string;
  word: string;
  bad: boolean;
}

function graphOf(story: Story): { nodes: Node[]; arrows: Arrow[] } {
  const { edges, cycle } = story.data.waits_for!;
  const nodes = new Map<string, Node>();
  const arrows: Arrow[] = [];
  const thread = (t: number) => {
    nodes.set("t" + t, { key: "t" + t, label: story.threadName(t), thread: true, colour: threadColour(t) });
    return "t" + t;
  };
  const object = (o: number) => {
    nodes.set("o" + o, { key: "o" + o, label: story.data.objects[o]!.name, thread: false, colour: objectColour(o) });
    return "o" + o;
  };
  const ordered = [...edges].sort((a, b) => place(cycle, a.thread) - place(cycle, b.thread));
  for (const { thread: waiter, object: wanted, operation, holders } of ordered) {
    const from = thread(waiter), inCycle = cycle.includes(waiter);
    const bad = (holder: number) => inCycle && cycle[(cycle.indexOf(waiter) + 1) % cycle.length] === holder;
    if (wanted < 0) {
      for (const holder of holders) arrows.push({ from, to: thread(holder), word: operation, bad: bad(holder) });
      continue;
    }
    const via = object(wanted);
    arrows.push({ from, to: via, word: "waits", bad: inCycle });
    for (const holder of holders) arrows.push({ from: via, to: thread(holder), word: "held by", bad: bad(holder) });
  }
  return { nodes: [...nodes.values()], arrows };
}

const place = (cycle: number[], thread: number) => (cycle.includes(thread) ? cycle.indexOf(thread) : cycle.length);

const WIDTH = 560;
const HALF = 74; // of a node's width
const short = (text: string) => (text.length > 20 ? text.slice(0, 9) + "…" + text.slice(-10) : text);

export function WaitsFor({ story }: { story: Story }) {
  const { nodes, arrows } = graphOf(story);
  const height = Math.max(170, Math.min(420, 60 * nodes.length));
  const at = new Map(nodes.map((node, index) => {
    const turn = (index / nodes.length) * 2 * Math.PI - Math.PI / 2;
    return [node.key, [WIDTH / 2 + (WIDTH / 2 - HALF - 4) * Math.cos(turn), height / 2 + (height / 2 - 20) * Math.sin(turn)] as const];
  }));
  return (
    <figure class="waits-for">
      <figcaption>{story.data.waits_for!.text}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={story.data.waits_for!.text}>
        <marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
          <path d="M0 0L8 4L0 8z" fill="context-stroke" />
        </marker>
        {arrows.map(({ from, to, word, bad }) => {
          const [x1, y1] = toBorder(at.get(to)!, at.get(from)!), [x2, y2] = toBorder(at.get(from)!, at.get(to)!);
          return (
            <g class={bad ? "bad" : ""}>
              <path d={`M${x1} ${y1}L${x2} ${y2}`} marker-end="url(#to)" />
              <text x={(x1 + x2) / 2} y={(y1 + y2) / 2 + 4}>{word}</text>
            </g>
          );
        })}
        {nodes.map(({ key, label, thread, colour }) => {
          const [x, y] = at.get(key)!;
          return (
            <g class="node" style={{ color: colour }}>
              <title>{label}</title>
              <rect x={x - HALF} y={y - 15} width={2 * HALF} height={30} rx={thread ? 15 : 3} />
              <text x={x} y={y + 4}>{short(label)}</text>
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

// Where the line from `from` meets the box around `to`.
function toBorder(from: readonly [number, number], to: readonly [number, number]): [number, number] {
  const dx = from[0] - to[0], dy = from[1] - to[1];
  const scale = Math.min(dx ? (HALF + 3) / Math.abs(dx) : Infinity, dy ? 18 / Math.abs(dy) : Infinity, 1);
  return [to[0] + dx * scale, to[1] + dy * scale];
}
