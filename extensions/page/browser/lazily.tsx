import type { ComponentType, JSX } from "preact";
import { useAnswer } from "./answers.ts";
import { Loaded } from "./parts.tsx";
import type { ViewProps } from "./places.ts";

/**
 * Makes a view whose code is loaded when the view is first drawn.
 *
 * @param name Identifies the view among all views that are loaded this way.
 */
export function lazily(
  name: string,
  load: () => Promise<ComponentType<ViewProps>>,
): ComponentType<ViewProps> {
  return function Lazy(props: ViewProps): JSX.Element {
    const answer = useAnswer(`view ${name}`, load);
    return <Loaded answer={answer} isView>{(View) => <View {...props} />}</Loaded>;
  };
}
