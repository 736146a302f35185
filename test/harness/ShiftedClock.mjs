/** Preloaded into a process, shifts its clock by SHIFTED_BY milliseconds, as the clock of a machine that is wrong. */
const by = Number(process.env.SHIFTED_BY)
const RealDate = Date
const now = () => RealDate.now() + by
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(
      target,
      args.length === 0 ? [now()] : args,
      newTarget === globalThis.Date ? target : newTarget
    ),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name))
})
