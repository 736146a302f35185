/** What an operator sees while there is no brand. */
import { Logo } from "../ui/Logo.tsx"
import { NewBrandForm } from "./NewBrand.tsx"

/** For operators who may create one; others are told who can. */
export const FirstBrand = () => (
  <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-6 p-6">
    <div className="flex items-center gap-3">
      <Logo className="size-9" />
      <div>
        <h1 className="text-lg leading-6 font-semibold">Create your first brand</h1>
        <p className="text-muted text-sm">Then say what it watches, and send what your collector saw.</p>
      </div>
    </div>
    <div className="card p-5">
      <NewBrandForm />
    </div>
  </main>
)
