// Everything about one step: what it did, what it depends on, where it stands in the source.
import { useState } from "preact/hooks";
import { objectColour, threadColour } from "./colours";
import { Source } from "./highlight";
import { EDGES, type Frame, type Story } from "./model";

interface Props {
  story: Story;
  row: number;
  select: (row: number) => void;
}

export function Detail({ story, row, select }: Props) {
  const object = story.object(row), thread = story.thread(row);
  const held = story.heldAt(thread, row);
  const number = story.number(row);
  return (
    <div class="detail">
      <h2>
        {number > 0 && <a class="step" href={`#step=${number}`}>{number}</a>}
        <span style={{ color: threadColour(thread) }}>{story.threadName(thread)}</span>
        <span class={"text " + story.kind(row)}>{story.text(row)}</span>
      </h2>
      {object >= 0 && <ObjectLine {...{ story, row, object, select }} />}
      {held.length > 0 && (
        <p class="holds">
          holds {held.map((lock) => <span class="chip" style={{ color: objectColour(lock) }}>{story.data.objects[lock]?.name}</span>)}
        </p>
      )}
      <Order {...{ story, row, select }} />
      <Stack key={row} story={story} frames={story.frames(row)} />
    </div>
  );
}

function ObjectLine({ story, row, object, select }: Props & { object: number }) {
  const { name, kind } = story.data.objects[object]!;
  const place = story.data.legend.find(([called]) => called === name)?.[1];
  const same = (step: 1 | -1) => story.find(row, step, (other) => story.object(other) === object);
  const before = same(-1), after = same(1);
  return (
    <p class="object">
      {kind} <span class="chip" style={{ color: objectColour(object) }}>{name}</span>
      {place && <span class="dim"> {place}</span>}
      <button disabled={before === undefined} onClick={() => select(before!)} title="previous operation on it (O)">◀</button>
      <button disabled={after === undefined} onClick={() => select(after!)} title="next operation on it (o)">▶</button>
    </p>
  );
}

const WORDS = {
  conflict: ["after", "before"],
  wakes: ["woken by", "wakes"],
  starts: ["created by", "starts"],
  ends: ["after the end:", "joined by"],
} as const;

function Order({ story, row, select }: Props) {
  const { into, outOf } = story.edges();
  const wait = story.data.waits.find(([, first]) => first === row);
  const line = (other: number, word: string) => (
    <li>
      {word} <a href={story.number(other) ? `#step=${story.number(other)}` : undefined}
        onClick={(event) => (event.preventDefault(), select(other))}>
        {story.number(other) || "·"} {story.threadName(story.thread(other))}: {story.text(other)}
      </a> <span class="place">{story.place(other)}</span>
    </li>
  );
  const lines = [
    ...(into.get(row) ?? []).map((e) => line(story.data.edges[e]![0], WORDS[EDGES[story.data.edges[e]![2]]!][0])),
    ...(outOf.get(row) ?? []).map((e) => line(story.data.edges[e]![1], WORDS[EDGES[story.data.edges[e]![2]]!][1])),
  ];
  if (wait && wait[2] < 0) lines.push(<li class="bad">waits until the end</li>);
  else if (wait) lines.push(line(wait[3] < 0 ? wait[2] : wait[3], wait[3] < 0 ? "waits until" : "waits; ended by"));
  return lines.length ? <ul class="order">{lines}</ul> : null;
}

function Stack({ story, frames }: { story: Story; frames: Frame[] }) {
  const [open, setOpen] = useState(0);
  const [around, setAround] = useState(6);
  return (
    <div class="stack">
      {frames.map((frame, level) => {
        const text = story.data.files[frame.file]?.text;
        return (
          <div key={level}>
            <button class={level === open ? "frame open" : "frame"} onClick={() => setOpen(level === open ? -1 : level)}>
              <span class="name">{frame.name}</span> <span class="place">{story.placeOf(frame)}</span>
            </button>
            {level === open && text !== undefined && frame.line > 0 && (
              <>
                <Source file={frame.file} text={text} line={frame.line} around={around} />
                <button class="more" onClick={() => setAround(around * 3)}>more lines</button>
              </>
            )}
          </div>
        );
      })}
    </div>
  );
}
