/** The ports of a store, as one thing that can be wrapped. */
import { Deliveries, Directory, LeadStore, Outbox, RateWindows } from "@lead-signals/domain"
import { Context } from "effect"

export interface StorePorts {
  readonly leadStore: typeof LeadStore.Service
  readonly outbox: typeof Outbox.Service
  readonly deliveries: typeof Deliveries.Service
  readonly directory: typeof Directory.Service
  readonly rateWindows: typeof RateWindows.Service
}

export type Stores = LeadStore | Outbox | Deliveries | Directory | RateWindows

export const portsOf = (context: Context.Context<Stores>): StorePorts => ({
  leadStore: Context.get(context, LeadStore),
  outbox: Context.get(context, Outbox),
  deliveries: Context.get(context, Deliveries),
  directory: Context.get(context, Directory),
  rateWindows: Context.get(context, RateWindows)
})

export const contextOf = (ports: StorePorts): Context.Context<Stores> =>
  Context.empty().pipe(
    Context.add(LeadStore, ports.leadStore),
    Context.add(Outbox, ports.outbox),
    Context.add(Deliveries, ports.deliveries),
    Context.add(Directory, ports.directory),
    Context.add(RateWindows, ports.rateWindows)
  )
