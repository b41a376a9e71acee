// The data of the page of `lockstep run --report`: the events of docs/usage.md, as report/run_log.cpp writes them.

export interface Bug {
  kind: string;
  message: string;
  execution: number;
  preemptions: number;
  threads: number;
  location: { function: string | null; file: string | null; line: number | null };
  schedule: string | null;
  test?: string;
}

export interface ProgressEvent {
  event: "progress";
  seconds: number;
  test?: string;
  phase: string;
  executions: number;
  distinct: number;
  estimated_total: number | null;
  seconds_left: number | null;
  frontier: number;
  bugs: number;
  preemptions_completed: number | null;
  by_strategy: Record<string, number>;
  by_preemptions: { preemptions: number; executions: number; distinct: number }[];
}

export interface EndEvent {
  event: "end";
  seconds: number;
  test?: string;
  result: {
    verdict: string;
    complete: boolean;
    guarantee: string;
    executions: number;
    traces: number | null;
    seconds: number;
    bugs: Bug[];
    warnings: string[];
    estimated_executions?: number;
  };
}

export type RunEvent =
  | { event: "start"; seconds: number; test?: string; strategy: string }
  | ProgressEvent
  | { event: "bound"; seconds: number; test?: string; preemptions: number; executions: number }
  | { event: "restart"; seconds: number; test?: string; points: number }
  | { event: "bug"; seconds: number; test?: string; bug: Bug }
  | EndEvent;

export interface RunData {
  page: "run";
  schema: number;
  program: string[];
  strategy: string;
  finished: boolean;
  written: number; // seconds since 1970
  events: RunEvent[];
}

// What happened in one test, or in the program as a whole.
export interface TestRun {
  name: string;
  events: RunEvent[];
  progress: ProgressEvent[];
  end?: EndEvent;
}

export function testsOf(data: RunData): TestRun[] {
  const runs = new Map<string, TestRun>();
  for (const event of data.events) {
    const name = event.test ?? "";
    let run = runs.get(name);
    if (!run) runs.set(name, (run = { name, events: [], progress: [] }));
    run.events.push(event);
    if (event.event === "progress") run.progress.push(event);
    if (event.event === "end") run.end = event;
  }
  return [...runs.values()];
}
