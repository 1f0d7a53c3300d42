/** The command `xylem`, with a monitor of its event loop. */
import "./loop_monitor.ts";
import "../../adapters/cli/main.ts";
