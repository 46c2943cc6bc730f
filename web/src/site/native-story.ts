// The story that the native side wrote down, for tests of the core.
import type { BodySnapshot, Call, DoneRun, ShellSnapshot } from "../generated/site";
import written from "./native-story.json?raw";

interface Story {
  seq: number;
  shell: ShellSnapshot;
  page: string;
  body: BodySnapshot;
  tool: string;
  call: Call;
  answer: { done: DoneRun };
}

export const story: Story = JSON.parse(written);
