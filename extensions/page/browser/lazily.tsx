/** Views whose code is loaded when they are opened. */
import type { ComponentType, JSX } from "preact";
import { useAnswer } from "./answers.ts";
import { Loaded } from "./parts.tsx";
import type { ViewProps } from "./places.ts";

/**
 * A view whose code is loaded when it is drawn.
 *
 * @param name Stands for the view, among all that are loaded.
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
