import type { BatchDialect } from './batch.ts'
import type { BatchForm } from './batch-form.ts'
import type { ChatDialect, Dialect } from './dialect.ts'
import type { Kind } from './kind.ts'
import type { TaskDialect, TaskKind } from './task.ts'

/** What a vendor speaks; or which one a model has, where a vendor sells models of several protocols. `null` = the model has none. */
export type ByModel<Spoken> = Spoken | ((model: string) => Spoken | null)

/** kind -> dialect. */
export type VendorDialects = { readonly [K in Kind]?: ByModel<K extends 'chat' ? ChatDialect : Dialect> }

/** kind of task -> dialect. */
export type VendorTasks = { readonly [K in TaskKind]?: ByModel<TaskDialect> }

/** How a vendor's batches are run: by a dialect of its own, or as files of chats in a form. */
export type VendorBatches = BatchTerms & ({ readonly dialect: BatchDialect } | { readonly form: BatchForm })

interface BatchTerms {
  /** Price of batch requests as a part of the usual one. Missing: the full price, as far as published. A model price that names `batch` takes precedence. */
  readonly factor?: number
  /** Upstream models that it takes in batches. Missing: no page limits them. */
  readonly models?: RegExp
}

/** What is spoken for a model; `null` = nothing. */
export function spokenFor<Spoken extends object>(choice: ByModel<Spoken> | undefined, model: string): Spoken | null {
  return (typeof choice === 'function' ? choice(model) : choice) ?? null
}
