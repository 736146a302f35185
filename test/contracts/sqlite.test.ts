import * as SqliteStore from "@lead-signals/store-sqlite"
import { temporaryFile } from "../TemporaryFolder.ts"
import { cases, isThorough } from "../Thoroughness.ts"
import { deliveryContract } from "./DeliveryContract.ts"
import { directoryContract } from "./DirectoryContract.ts"
import { leadStoreContract } from "./LeadStoreContract.ts"

/** Places are found by counting from the first lead on, in stretches of three. */
const positions = { findingEffort: 0, greatestStretch: 3 }
const layer = () => SqliteStore.layer({ filename: temporaryFile("store.sqlite"), synced: false, positions })

leadStoreContract("SQLite", layer, isThorough ? 1000 : 100)
directoryContract("SQLite", layer)
deliveryContract("SQLite", layer, cases(200))

/** What takes long there, and what is erased, is done in threads: here all of it is. */
const inThreads = () =>
  SqliteStore.layer({
    filename: temporaryFile("store.sqlite"),
    synced: false,
    positions,
    greatestEffort: 0
  })
leadStoreContract("SQLite in threads", inThreads, isThorough ? 300 : 60)
deliveryContract("SQLite in threads", inThreads, cases(100))
