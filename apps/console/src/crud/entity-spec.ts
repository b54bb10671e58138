import type { Endpoint } from '@sluice/contract'
import type { ComponentType, ReactNode } from 'react'
import type { FieldPath, FieldValues, Resolver } from 'react-hook-form'
import type { ZodMiniType } from 'zod/mini'
import type { MessageKey } from '../lib/t.ts'
import type { PagePath } from '../ui/page-path.ts'
import type { FieldTexts } from './conflict-panel.tsx'
import type { CreatedRow } from './find-created.ts'

/** What a noun says about its forms. `Row` is the row that fills a form, `Values` what is typed, `Input` what the calls receive. */
export interface EntitySpec<Row, Values extends FieldValues, Input extends object, Created> {
  /** The list, where "cancel" leads. */
  readonly listPath: PagePath
  readonly texts: {
    /** The name of the list. */
    readonly list: MessageKey
    readonly addTitle: MessageKey
    readonly addLead?: MessageKey
    readonly add: MessageKey
    readonly added: MessageKey
    readonly editTitle: MessageKey
    readonly edited: MessageKey
  }
  readonly get: Endpoint<ZodMiniType, ZodMiniType<Row>>
  readonly create: Endpoint<ZodMiniType, ZodMiniType<Created>>
  /** Returns the stored row, or nothing, in which case the row is read again. */
  readonly update: Endpoint<ZodMiniType, ZodMiniType<Row | null>>
  /** Finds rows by the text of `firstField`, the newest first: after a lost response, whether the new row exists. */
  readonly search: Endpoint<ZodMiniType, ZodMiniType<CreatedRow[]>>
  readonly newValues: Values
  /** The values of a copy of a row; with it, the parameter `from` of the add page's address names a row to copy. */
  readonly toCopy?: (row: Row) => Values
  readonly toValues: (row: Row) => Values
  /** Checks the values and makes the input. `null` = a new row. */
  readonly resolverFor: (row: Row | null) => Resolver<Values, unknown, Input>
  /** The input of `update`: the id and the changed fields. Without it, the whole input and the id. */
  readonly toUpdate?: (row: Row, input: Input) => object
  /** Fields of which a save says what the form showed: the server refuses it where somebody else has changed one meanwhile. */
  readonly compared?: { readonly names: readonly (keyof Row & string)[]; readonly texts: FieldTexts }
  /** Beside the title of an edit page: which row it is. */
  readonly nameOf: (row: Row) => ReactNode
  readonly firstField: FieldPath<Values>
  readonly Fields: ComponentType<{ readonly isNew: boolean }>
  /** Further buttons beside "save", and what they report. */
  readonly Actions?: ComponentType
  /** Shown after a creation, for what can only be seen then. */
  readonly Created?: ComponentType<CreatedProps<Created, Input>>
  readonly isForAdmins?: boolean
}

export interface CreatedProps<Created, Input> {
  readonly created: Created
  readonly input: Input
  readonly isOpen: boolean
  readonly onClose: () => void
}

export interface WithId {
  readonly id: number
}

/** Types a noun's forms by its members. */
export function entityForms<Row extends WithId, Values extends FieldValues, Input extends object, Created>(
  spec: EntitySpec<Row, Values, Input, Created>,
): EntitySpec<Row, Values, Input, Created> {
  return spec
}
