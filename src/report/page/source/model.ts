// The data of a page, as report/story_json.cpp writes it, and what is derived from it once. -1 means none.

export interface StoryData {
  page: "story";
  schema: number;
  program: string[];
  test?: string;
  kind: string; // "deadlock", "data-race", ...
  message: string;
  values?: string; // of the variables in a failed assertion
  execution: number;
  preemptions: number;
  thread_count: number;
  place: string;
  function: string;
  schedule: string;
  replay: string; // the command that repeats it; may be empty
  output?: string; // what the program printed, its end
  rows: {
    kinds: string[]; // names of `kind`
    kind: number[];
    thread: number[]; // of a switch: who runs now
    text: number[]; // into texts
    stack: number[]; // into stacks
    object: number[]; // into objects
    number: number[]; // as in the terminal; 0: not counted
    key: number[]; // 1: one of the steps that the terminal shows
  };
  holds: [thread: number, object: number, first: number, last: number, shared: number][]; // rows; last -1: to the end
  waits: [thread: number, first: number, last: number, endedBy: number][]; // rows; last -1: for ever
  edges: [from: number, to: number, kind: number][]; // rows; kind: see EDGES
  waits_for?: {
    text: string;
    edges: { thread: number; object: number; operation: string; holders: number[] }[];
    cycle: number[]; // threads
  };
  why?: { text: string[]; unordered?: string; orders: { first: number; second: number; reversed: string }[] }; // step numbers
  // Counted steps from number `first` on, from 0; `difference`: the first one that is not as in the failing schedule.
  passing?: { first: number; difference: number; rows: { thread: number; text: string; place: string }[] };
  threads: { name: string; end: string; created?: number }[];
  legend: [name: string, place: string][];
  objects: { name: string; kind: string }[];
  texts: string[];
  stacks: number[][]; // into frames, innermost first
  frames: [function_: string, file: number, line: number][];
  files: { path: string; text?: string }[];
}

export const EDGES = ["conflict", "wakes", "starts", "ends"] as const;

export interface Frame {
  name: string;
  file: number;
  line: number;
}

// Which rows an edge leads to or comes from, without a search.
interface Edges {
  into: Map<number, number[]>; // numbers of edges
  outOf: Map<number, number[]>;
}

export class Story {
  readonly size: number;
  private readonly ofNumber = new Map<number, number>();
  private edgeIndex?: Edges;
  private lowered?: string[];

  constructor(readonly data: StoryData) {
    this.size = data.rows.kind.length;
    data.rows.number.forEach((number, row) => number && this.ofNumber.set(number, row));
  }

  kind(row: number) { return this.data.rows.kinds[this.data.rows.kind[row]!]!; }
  thread(row: number) { return this.data.rows.thread[row]!; }
  text(row: number) { return this.data.texts[this.data.rows.text[row]!] ?? ""; }
  object(row: number) { return this.data.rows.object[row]!; }
  number(row: number) { return this.data.rows.number[row]!; }
  threadName(thread: number) { return this.data.threads[thread]?.name ?? ""; }
  rowOfNumber(number: number) { return this.ofNumber.get(number); }

  frames(row: number): Frame[] {
    const stack = this.data.rows.stack[row]!;
    return stack < 0 ? [] : this.data.stacks[stack]!.map((f) => this.frame(f));
  }
  place(row: number) {
    const stack = this.data.rows.stack[row]!;
    return stack < 0 ? "" : this.placeOf(this.frame(this.data.stacks[stack]![0]!));
  }
  placeOf(frame: Frame) {
    const path = this.data.files[frame.file]?.path ?? "";
    const name = path.slice(path.lastIndexOf("/") + 1);
    return name && frame.line > 0 ? `${name}:${frame.line}` : name;
  }
  private frame(number: number): Frame {
    const [name, file, line] = this.data.frames[number]!;
    return { name, file, line };
  }

  // The row that a reader wants to see first: what went wrong.
  failure(): number {
    for (let row = this.size - 1; row >= 0; --row) if (this.kind(row) === "failure") return row;
    for (const kind of ["racing", "blocked"])
      for (let row = this.size - 1; row >= 0; --row)
        if (this.kind(row) === kind && this.data.threads[this.thread(row)]?.name !== "main") return row;
    return this.size - 1;
  }

  edges(): Edges {
    if (this.edgeIndex) return this.edgeIndex;
    const index: Edges = { into: new Map(), outOf: new Map() };
    const add = (map: Map<number, number[]>, row: number, edge: number) => {
      const list = map.get(row);
      if (list) list.push(edge);
      else map.set(row, [edge]);
    };
    this.data.edges.forEach(([from, to], edge) => (add(index.into, to, edge), add(index.outOf, from, edge)));
    return (this.edgeIndex = index);
  }

  isConflict(row: number) {
    return (this.edges().into.get(row) ?? []).some((edge) => this.data.edges[edge]![2] === 0);
  }

  // The next row from `row` in a direction that satisfies `wanted`.
  find(row: number, step: 1 | -1, wanted: (row: number) => boolean): number | undefined {
    for (let at = row + step; at >= 0 && at < this.size; at += step) if (wanted(at)) return at;
    return undefined;
  }

  // Rows whose text, thread, place or function contains the words.
  search(words: string): number[] {
    const wanted = words.trim().toLowerCase();
    if (!wanted) return [];
    this.lowered ??= this.data.texts.map((text) => text.toLowerCase());
    const inThread = this.data.threads.map(({ name }) => name.toLowerCase().includes(wanted));
    const inStack = this.data.stacks.map((stack) =>
      stack.slice(0, 1).some((f) => {
        const frame = this.frame(f);
        return frame.name.toLowerCase().includes(wanted) || this.placeOf(frame).toLowerCase().includes(wanted);
      }));
    const inText = this.lowered.map((text) => text.includes(wanted));
    const { text, stack, thread } = this.data.rows;
    const found: number[] = [];
    for (let row = 0; row < this.size; ++row)
      if (inText[text[row]!] || inStack[stack[row]!] || inThread[thread[row]!]) found.push(row);
    return found;
  }

  // What `thread` holds after this row.
  heldAt(thread: number, row: number): number[] {
    return this.data.holds
      .filter(([who, , first, last]) => who === thread && first <= row && (last < 0 || row < last))
      .map(([, object]) => object);
  }
}
