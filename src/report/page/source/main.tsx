import { render } from "preact";
import type { StoryData } from "./model";
import { StoryPage } from "./story_page";
import { restoreTheme } from "./theme";

restoreTheme();
const data = JSON.parse(document.getElementById("data")!.textContent!) as StoryData;
render(<StoryPage data={data} />, document.getElementById("app")!);
