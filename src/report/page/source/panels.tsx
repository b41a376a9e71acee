// What stands beside the steps: why it fails, the nearest schedule that passes, the program's output, the legend.
import { threadColour } from "./colours";
import type { Story } from "./model";

interface Props {
  story: Story;
  select: (row: number) => void;
}

export function Why({ story, select }: Props) {
  const why = story.data.why!;
  const step = (number: number) => {
    const row = story.rowOfNumber(number);
    return row === undefined ? <span>step {number}</span> : (
      <a href={`#step=${number}`} onClick={(event) => (event.preventDefault(), select(row))}>
        step {number} ({story.threadName(story.thread(row))}: {story.text(row)})
      </a>
    );
  };
  return (
    <section class="why">
      {why.orders.length === 0 ? why.text.map((line) => <p>{line}</p>) : (
        <>
          {why.unordered && <p>{why.unordered}</p>}
          <p>It fails because</p>
          <ul>
            {why.orders.map(({ first, second, reversed }) => (
              <li>{step(first)} comes before {step(second)}; the other way round it {reversed}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

// The failing steps left, the passing ones right; both are the same above the first difference.
export function Compare({ story, select }: Props) {
  const { first, rows, difference } = story.data.passing!;
  const failing: number[] = [];
  for (let row = 0; row < story.size; ++row) if (story.number(row)) failing.push(row);
  const to = Math.max(first + rows.length, Math.min(failing.length, difference + 60));
  const lines = [];
  for (let at = first; at < to; ++at) {
    const row = failing[at], other = rows[at - first];
    lines.push(
      <tr class={at === difference ? "first-difference" : at > difference ? "different" : ""}>
        <td class="number">{at + 1}</td>
        <td onClick={() => row !== undefined && select(row)}>
          {row !== undefined && <Step thread={story.thread(row)} name={story.threadName(story.thread(row))}
            text={story.text(row)} place={story.place(row)} />}
        </td>
        <td>{other && <Step thread={other.thread} name={story.threadName(other.thread)} text={other.text} place={other.place} />}</td>
      </tr>,
    );
  }
  return (
    <table class="compare">
      <thead><tr><th /><th>fails</th><th>passes</th></tr></thead>
      <tbody>{lines}</tbody>
    </table>
  );
}

function Step({ thread, name, text, place }: { thread: number; name: string; text: string; place: string }) {
  return <><b style={{ color: threadColour(thread) }}>{name}</b> {text} <span class="place">{place}</span></>;
}

export function Threads({ story, select }: Props) {
  return (
    <table class="threads">
      <thead><tr><th>thread</th><th>at the end</th><th>created by</th></tr></thead>
      <tbody>
        {story.data.threads.map(({ name, end, created }, thread) => (
          <tr>
            <td><b style={{ color: threadColour(thread) }}>{name}</b></td>
            <td class={end === "failed" || end.startsWith("waits") ? "bad" : ""}>{end}</td>
            <td>{created !== undefined && created >= 0 && (
              <a href="#" onClick={(event) => (event.preventDefault(), select(created))}>
                {story.threadName(story.thread(created))} <span class="place">{story.place(created)}</span>
              </a>
            )}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export const KEYS: [keys: string, what: string][] = [
  ["↓ ↑  j k", "next, previous step"],
  ["s S", "next, previous switch"],
  ["c C", "next, previous conflict with another thread"],
  ["o O", "next, previous operation on the same object"],
  ["t T", "next, previous step of the same thread"],
  ["f", "the failure"],
  ["g G", "first, last step"],
  ["/", "search; Enter or n: next match, N: previous"],
  ["e", "all steps, or only those that matter"],
  ["a", "arrows: of the selected step, or all in sight"],
  ["d", "dark or light"],
  ["?", "this list"],
];

export function Legend({ story }: { story: Story }) {
  return (
    <div class="legend">
      <table>{KEYS.map(([keys, what]) => <tr><td><kbd>{keys}</kbd></td><td>{what}</td></tr>)}</table>
      <ul>
        <li><i class="sample bar" /> a lock is held</li>
        <li><i class="sample bar shared" /> held for reading</li>
        <li><i class="sample wait" /> the thread waits</li>
        <li><i class="sample edge conflict" /> both access an object, one writes</li>
        <li><i class="sample edge wakes" /> wakes the thread</li>
        <li><i class="sample edge starts" /> creates or joins it</li>
        <li><i class="sample row switch" /> a preemption</li>
      </ul>
      {story.data.legend.length > 0 && (
        <table>{story.data.legend.slice(0, 200).map(([name, place]) => <tr><td>{name}</td><td class="dim">{place}</td></tr>)}</table>
      )}
    </div>
  );
}
