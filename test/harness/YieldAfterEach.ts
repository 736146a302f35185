/** Tests that wait for nothing follow each other without end, too. */
import { afterEach } from "vitest"
import { nextTick } from "./EventLoop.ts"

afterEach(nextTick)
