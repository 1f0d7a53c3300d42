/** Views whose code is loaded when they are opened. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failure, Waiting } from "./parts.tsx";
import type { Place } from "./places.ts";

/** Properties of all views. */
export interface ViewProps {
  /** The place; in a repository without the parts that lead there. */
  readonly place: Place;
}

/** A view whose code is loaded when it is drawn for the first time. */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props): JSX.Element {
    const [, redraw] = useState(0);
    const [error, setError] = useState<unknown>();
    const start = () => {
      setError(undefined);
      load().then((loaded) => {
        Loaded = loaded;
        redraw((turn) => turn + 1);
      }, setError);
    };
    useEffect(() => {
      if (Loaded === undefined) start();
    }, []);
    if (error !== undefined) return <Failure error={error} retry={start} />;
    return Loaded === undefined ? <Waiting /> : <Loaded {...props} />;
  };
}
