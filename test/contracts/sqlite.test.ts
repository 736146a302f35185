import * as SqliteStore from "@lead-signals/store-sqlite"
import { temporaryFile } from "../TemporaryFolder.ts"
import { deliveryContract } from "./DeliveryContract.ts"
import { directoryContract } from "./DirectoryContract.ts"
import { leadStoreContract } from "./LeadStoreContract.ts"

const layer = () => SqliteStore.layer({ filename: temporaryFile("store.sqlite"), synced: false })

leadStoreContract("SQLite", layer, 1000)
directoryContract("SQLite", layer)
deliveryContract("SQLite", layer, 200)
