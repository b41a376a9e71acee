// The page of `lockstep explain --html`.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Detail } from "./detail";
import { View } from "./geometry";
import { WaitsFor } from "./graph";
import { Story, type StoryData } from "./model";
import { Compare, Legend, Threads, Why } from "./panels";
import { switchTheme } from "./theme";
import { Timeline } from "./timeline";

type Tab = "step" | "why" | "waits" | "passing" | "threads" | "output" | "keys";

function rowOfLink(story: Story): number | undefined {
  const number = /^#step=(\d+)$/.exec(location.hash)?.[1];
  return number === undefined ? undefined : story.rowOfNumber(Number(number));
}

export function StoryPage({ data }: { data: StoryData }) {
  const story = useMemo(() => new Story(data), [data]);
  const [selected, setSelected] = useState(() => rowOfLink(story) ?? story.failure());
  const [keyOnly, setKeyOnly] = useState(false);
  const [allArrows, setAllArrows] = useState(false);
  const [words, setWords] = useState("");
  const [tab, setTab] = useState<Tab>(data.why ? "why" : data.waits_for ? "waits" : "step");
  const search = useRef<HTMLInputElement>(null);
  const view = useMemo(() => new View(story, keyOnly), [story, keyOnly]);
  const matches = useMemo(() => story.search(words), [story, words]);
  const found = useMemo(() => new Set(matches), [matches]);

  const select = (row: number | undefined) => {
    if (row === undefined || row < 0 || row >= story.size) return;
    if (!view.shows(row)) setKeyOnly(false);
    setSelected(row);
    const number = story.number(row);
    if (number) history.replaceState(null, "", `#step=${number}`);
  };
  const pick = (row: number | undefined) => {
    select(row);
    if (row !== undefined) setTab("step");
  };
  const match = (step: 1 | -1) =>
    step > 0 ? (matches.find((row) => row > selected) ?? matches[0])
             : (matches.findLast((row) => row < selected) ?? matches.at(-1));
  const object = story.object(selected), thread = story.thread(selected);
  const moves: Record<string, (step: 1 | -1) => number | undefined> = {
    j: (step) => view.rows[view.position(selected) + step],
    s: (step) => story.find(selected, step, (row) => story.kind(row) === "switch"),
    c: (step) => story.find(selected, step, (row) => story.isConflict(row)),
    o: (step) => (object < 0 ? undefined : story.find(selected, step, (row) => story.object(row) === object)),
    t: (step) => story.find(selected, step, (row) => story.thread(row) === thread),
    n: match,
    g: (step) => (step > 0 ? 0 : story.size - 1),
    f: () => story.failure(),
  };

  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target instanceof HTMLInputElement;
    if (event.key === "Escape") {
      setWords("");
      search.current?.blur();
    } else if (typing) {
      if (event.key !== "Enter") return;
      select(match(event.shiftKey ? -1 : 1));
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      pick(moves["j"]!(event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "k") {
      pick(moves["j"]!(-1));
    } else if (moves[event.key.toLowerCase()]) {
      pick(moves[event.key.toLowerCase()]!(event.key === event.key.toLowerCase() ? 1 : -1));
    } else if (event.key === "/") {
      search.current?.focus();
    } else if (event.key === "e") {
      setKeyOnly(!keyOnly);
    } else if (event.key === "a") {
      setAllArrows(!allArrows);
    } else if (event.key === "d") {
      switchTheme();
    } else if (event.key === "?") {
      setTab("keys");
    } else {
      return;
    }
    event.preventDefault();
  };
  const keys = useRef(onKey);
  keys.current = onKey;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => keys.current(event);
    const moved = () => {
      const row = rowOfLink(story);
      if (row !== undefined) setSelected(row);
    };
    addEventListener("keydown", pressed);
    addEventListener("hashchange", moved);
    return () => (removeEventListener("keydown", pressed), removeEventListener("hashchange", moved));
  }, [story]);

  const tabs: [Tab, string, boolean][] = [
    ["why", "Why", !!data.why], ["waits", "Waits for", !!data.waits_for], ["step", "Step", true],
    ["passing", "Passing schedule", !!data.passing], ["threads", "Threads", true],
    ["output", "Output", !!data.output], ["keys", "Keys and legend", true],
  ];
  return (
    <>
      <Header data={data} />
      <div class="tools">
        <input ref={search} type="search" placeholder="search steps  /" value={words} aria-label="search"
          onInput={(event) => setWords(event.currentTarget.value)} />
        <span class="count">{words && `${matches.length} found`}</span>
        <button onClick={() => pick(moves["s"]!(-1))} title="previous switch (S)">◀ switch</button>
        <button onClick={() => pick(moves["s"]!(1))} title="next switch (s)">switch ▶</button>
        <button onClick={() => pick(moves["c"]!(-1))} title="previous conflict (C)">◀ conflict</button>
        <button onClick={() => pick(moves["c"]!(1))} title="next conflict (c)">conflict ▶</button>
        <button onClick={() => pick(story.failure())} title="the failure (f)">failure</button>
        <button aria-pressed={keyOnly} onClick={() => setKeyOnly(!keyOnly)} title="only the steps that matter (e)">key steps</button>
        <button aria-pressed={allArrows} onClick={() => setAllArrows(!allArrows)} title="all arrows (a)">arrows</button>
        <button onClick={switchTheme} title="dark or light (d)">◐</button>
      </div>
      <main>
        <Timeline {...{ story, view, selected, found, allArrows }} select={pick} />
        <aside>
          <nav>
            {tabs.map(([name, label, there]) => there && (
              <button key={name} aria-pressed={tab === name} onClick={() => setTab(name)}>{label}</button>
            ))}
          </nav>
          <div class="panel">
            {tab === "step" && <Detail {...{ story }} row={selected} select={pick} />}
            {tab === "why" && <Why story={story} select={pick} />}
            {tab === "waits" && <><WaitsFor story={story} /><Threads story={story} select={pick} /></>}
            {tab === "passing" && <Compare story={story} select={select} />}
            {tab === "threads" && <Threads story={story} select={pick} />}
            {tab === "output" && <pre class="output">{data.output}</pre>}
            {tab === "keys" && <Legend story={story} />}
          </div>
        </aside>
      </main>
    </>
  );
}

function Header({ data }: { data: StoryData }) {
  const count = (n: number, noun: string) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  const program = [data.program[0]?.replace(/.*\//, ""), ...data.program.slice(1)].join(" ");
  useEffect(() => {
    document.title = `${data.kind} · ${data.test ?? program} · Lockstep`;
  }, [data]);
  return (
    <header>
      <h1>
        <b class="kind">{data.kind.replaceAll("-", " ")}</b>
        <span class="program" title={data.program.join(" ")}>{program}</span>
        {data.test && <span class="test">{data.test}</span>}
      </h1>
      <p class="message">{data.message}{data.values && ` (${data.values})`}</p>
      <p class="facts">
        {[count(data.preemptions, "preemption"), count(data.thread_count, "thread"),
          count(data.rows.number.reduce((most, n) => Math.max(most, n), 0), "step"),
          data.execution > 0 ? `execution ${data.execution.toLocaleString("en")}` : "",
          [data.function, data.place].filter(Boolean).join(" ")].filter(Boolean).join(" · ")}
      </p>
      {data.replay && <p><code>{data.replay}</code></p>}
    </header>
  );
}
