import { render } from "preact";
import type { StoryData } from "./model";
import type { RunData } from "./run_model";
import { RunPage } from "./run_page";
import { StoryPage } from "./story_page";
import { restoreTheme } from "./theme";

restoreTheme();
const data = JSON.parse(document.getElementById("data")!.textContent!) as StoryData | RunData;
render(data.page === "story" ? <StoryPage data={data} /> : <RunPage data={data} />, document.getElementById("app")!);
