// The page of `lockstep run --report`: how the exploration went, or goes.
import { useEffect, useState } from "preact/hooks";
import { Bars, Chart, count } from "./chart";
import { type Bug, type ProgressEvent, type RunData, type TestRun, testsOf } from "./run_model";
import { switchTheme } from "./theme";

const RELOAD = 2500; // ms, while it runs

export function RunPage({ data }: { data: RunData }) {
  const tests = testsOf(data);
  const several = tests.length > 1 || tests[0]?.name;
  const [chosen, setChosen] = useState(() => firstToShow(tests));
  const program = [data.program[0]?.replace(/.*\//, ""), ...data.program.slice(1)].join(" ");
  useEffect(() => {
    document.title = `${data.finished ? verdictOf(tests) : "running"} · ${program} · Lockstep`;
    if (data.finished) return;
    const timer = setTimeout(() => location.reload(), RELOAD);
    return () => clearTimeout(timer);
  }, [data]);
  const run = tests[chosen];
  return (
    <div class="run">
      <header>
        <h1>
          <b class={"verdict " + (data.finished ? verdictOf(tests) : "running")}>{data.finished ? verdictOf(tests) : "running"}</b>
          <span class="program" title={data.program.join(" ")}>{program}</span>
          <button onClick={switchTheme} title="dark or light">◐</button>
        </h1>
        <p class="facts">strategy {data.strategy} · written {new Date(data.written * 1000).toLocaleString()}</p>
      </header>
      {several ? <Tests {...{ tests, chosen, setChosen }} /> : null}
      {run && <Test run={run} strategy={data.strategy} />}
    </div>
  );
}

// What runs now, else what failed.
function firstToShow(tests: TestRun[]): number {
  const running = tests.findIndex(({ end }) => !end), failed = tests.findIndex(({ end }) => end?.result.verdict === "bug");
  return Math.max(0, running >= 0 ? running : failed);
}

function verdictOf(tests: TestRun[]): string {
  const verdicts = tests.map(({ end }) => end?.result.verdict ?? "incomplete");
  return ["bug", "uncontrolled", "incomplete"].find((verdict) => verdicts.includes(verdict)) ?? "pass";
}

function Tests({ tests, chosen, setChosen }: { tests: TestRun[]; chosen: number; setChosen: (n: number) => void }) {
  return (
    <table class="tests">
      <thead><tr><th>test</th><th>verdict</th><th>executions</th><th>behaviours</th><th>seconds</th></tr></thead>
      <tbody>
        {tests.map(({ name, end, progress }, n) => (
          <tr class={n === chosen ? "chosen" : ""} onClick={() => setChosen(n)}>
            <td>{name}</td>
            <td class={"verdict " + (end?.result.verdict ?? "running")}>{end?.result.verdict ?? "running"}</td>
            <td>{count(end?.result.executions ?? progress.at(-1)?.executions ?? 0)}</td>
            <td>{count(end?.result.traces ?? progress.at(-1)?.distinct ?? 0)}</td>
            <td>{end ? end.result.seconds.toFixed(2) : ""}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Test({ run, strategy }: { run: TestRun; strategy: string }) {
  const last = run.progress.at(-1), result = run.end?.result;
  const began = run.events[0]!.seconds;
  const bugs = result?.bugs ?? run.events.flatMap((event) => (event.event === "bug" ? [event.bug] : []));
  const restarts = run.events.filter(({ event }) => event === "restart").length;
  const over = (value: (event: ProgressEvent) => number) =>
    [[0, 0] as [number, number], ...run.progress.map((event) => [event.seconds - began, value(event)] as [number, number])];
  return (
    <main class="sections">
      <section class="claim">
        <h2>{run.name || "What is known"}</h2>
        <p>{result ? result.guarantee : `so far: ${last?.phase ?? "starting"}`}</p>
        {last && <Remainder last={last} done={!!result} complete={result?.complete ?? false} />}
        {restarts > 0 && <p class="dim">The search started over {restarts === 1 ? "once" : `${restarts} times`}, because accesses became scheduling points.</p>}
        {result?.warnings.map((warning) => <p class="warning">{warning}</p>)}
      </section>
      <section>
        <h2>Findings</h2>
        {bugs.length ? bugs.map((bug) => <Found bug={bug} />) : <p class="dim">none</p>}
      </section>
      {run.progress.length > 0 && (
        <section>
          <h2>Over time</h2>
          <Chart series={[
            { name: "executions", colour: "var(--accent)", points: over(({ executions }) => executions) },
            { name: "distinct behaviours", colour: "var(--good)", points: over(({ distinct }) => distinct) },
          ]} />
        </section>
      )}
      {last && (
        <section>
          <h2>By preemptions</h2>
          <Bars rows={last.by_preemptions.map(({ preemptions, executions, distinct }) => ({
            name: `${preemptions}`, value: executions, part: distinct,
            note: `${count(distinct)} new${last.preemptions_completed !== null && preemptions <= last.preemptions_completed ? ", bound finished" : ""}`,
          }))} />
          <p class="dim">executions with so many preemptions; filled: behaviours that were new there</p>
        </section>
      )}
      {last && (
        <section>
          <h2>By strategy</h2>
          <Bars rows={(Object.keys(last.by_strategy).length ? Object.entries(last.by_strategy) : [[strategy, last.executions] as const])
            .map(([name, value]) => ({ name, value }))} />
        </section>
      )}
    </main>
  );
}

function Remainder({ last, done, complete }: { last: ProgressEvent; done: boolean; complete: boolean }) {
  if (complete) return <p>{count(last.executions)} executions; the search is finished.</p>;
  const total = last.estimated_total;
  return (
    <>
      <p>
        {count(last.executions)} executions{total !== null && total > last.executions ? ` of about ${count(total)}` : ""}
        {!done && last.seconds_left !== null ? `; about ${Math.round(last.seconds_left)} s left` : ""}
        {total === null ? "; how many there are is not known" : ""}
      </p>
      {total !== null && <progress max={total} value={last.executions} />}
    </>
  );
}

function Found({ bug }: { bug: Bug }) {
  const { file, line, function: name } = bug.location;
  return (
    <article class="finding">
      <h3><b class="bad">{bug.kind.replaceAll("-", " ")}</b> {name} <span class="place">{file && `${file}:${line}`}</span></h3>
      <p class="message">{bug.message}</p>
      <p class="facts">{bug.preemptions} preemptions · {bug.threads} threads · execution {count(bug.execution)}</p>
      {bug.schedule && <p><code>lockstep explain {bug.schedule} --html bug.html</code></p>}
    </article>
  );
}
