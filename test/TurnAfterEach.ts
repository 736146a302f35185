/** Tests that wait for nothing follow each other without end, too. */
import { afterEach } from "vitest"
import { turn } from "./Turn.ts"

afterEach(turn)
