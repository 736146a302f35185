/** Dialogs of the pages that load first: their code comes when one of them opens. */
import { type ComponentType, lazy, Suspense } from "react"

/** The dialog, of which nothing shows while its code loads. */
export const lazyDialog = <Props extends object>(
  load: () => Promise<ComponentType<Props>>
): ComponentType<Props> => {
  const Loaded = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>
  return (props) => (
    <Suspense fallback={null}>
      <Loaded {...props} />
    </Suspense>
  )
}
