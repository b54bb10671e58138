import type { InputOf } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { FieldValues } from 'react-hook-form'
import { changedElsewhere, toastError } from '../lib/api.ts'
import { changedOf, membersOf } from '../lib/draft.ts'
import { readKey, readOptions, writeRead } from '../lib/reads.ts'
import { showRefusal } from '../lib/refused-field.ts'
import { takeLost, takeSaved, useSubmitted } from '../lib/saved-values.ts'
import { useT } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'
import { useCall } from '../lib/use-call.ts'
import { ConflictPanel, showConflicts } from './conflict-panel.tsx'
import { EntityForm, useEntityForm } from './entity-form.tsx'
import type { EntitySpec, WithId } from './entity-spec.ts'

interface EditFormProps<Row, Values extends FieldValues, Input extends object, Created> {
  readonly spec: EntitySpec<Row, Values, Input, Created>
  readonly row: Row
  readonly routeId: string
}

/** The form of a stored row. It asks about fields that somebody else has changed since the form was filled. */
export function EditForm<Row extends WithId, Values extends FieldValues, Input extends object, Created>({
  spec,
  row,
  routeId,
}: EditFormProps<Row, Values, Input, Created>) {
  const t = useT()
  const client = useQueryClient()
  // The row that filled the fields. It may be read again while the form is open, and then differs from the fields.
  const [baseline, setBaseline] = useState(row)
  // Members as they were when their fields were typed, if that was before `baseline` was read and the user has not been prompted yet.
  const [earlier, setEarlier] = useState<FieldValues>({})
  const compared = { ...membersOf(baseline, spec.compared?.names ?? []), ...earlier }
  const form = useEntityForm(spec, baseline, spec.toValues(baseline))
  const submitted = useSubmitted<Values>()
  const update = useCall(spec.update, {
    onDone: async (response, input) => {
      showToast('success', t(spec.texts.edited))
      const saved = response ?? (await client.fetchQuery(readOptions(spec.get, { id: routeId })))
      writeRead(client, readKey(spec.get, { id: routeId }), saved)
      setBaseline(saved)
      setEarlier({})
      takeSaved(form, { submitted: submitted.get(input) ?? form.getValues(), stored: spec.toValues(saved) })
    },
  })
  const [conflicts, setConflicts] = useState<readonly string[]>([])
  const toInput = (input: Input) => {
    const change = spec.toUpdate?.(baseline, input) ?? { id: baseline.id, ...input }
    // Holds: the noun's `toUpdate` makes what its endpoint receives.
    return withBaseline(change, compared) as InputOf<typeof spec.update>
  }
  const send = (values: Input, typed: Values) => {
    if (conflicts.length > 0) return showConflicts()
    const input = toInput(values)
    submitted.set(input, typed)
    update.mutate(input, { onError: refused })
  }
  const check = async () => {
    const stored = await client.fetchQuery({ ...readOptions(spec.get, { id: routeId }), staleTime: 0 })
    const outcome = takeLost(form, { submitted: spec.toValues(baseline), stored: spec.toValues(stored) })
    setBaseline(stored)
    // Fields that were not changed, or that were saved, show what is stored now, so the next change is made of that.
    setEarlier(membersOf(compared, Object.keys(changedOf(form.getValues(), spec.toValues(stored)))))
    return outcome
  }
  const refused = (failure: Error) => {
    showRefusal(form, failure)
    const fields = changedElsewhere(failure)
    // The panel compares with the row as it is now. If that cannot be read, the next save is refused too.
    if (fields.length > 0) void check().then(() => setConflicts(fields), toastError)
  }
  const decide = (field: string) => {
    setConflicts((present) => present.filter((one) => one !== field))
    setEarlier(({ [field]: _, ...others }) => others)
  }
  return (
    <EntityForm
      {...spec}
      notice={
        conflicts.length === 0 || spec.compared === undefined ? null : (
          <ConflictPanel fields={conflicts} stored={spec.toValues(baseline)} texts={spec.compared.texts} onDecided={decide} />
        )
      }
      form={form}
      baseline={baseline}
      comparedRow={{ baseline: compared, onDraft: setEarlier }}
      isNew={false}
      isBusy={update.isPending}
      failure={update.error}
      onSend={send}
      onCheck={check}
    />
  )
}

/** Adds what the form showed of the fields that an edit changes. */
function withBaseline(change: object, compared: FieldValues): object {
  const baseline = membersOf(compared, Object.keys(change))
  return Object.keys(baseline).length === 0 ? change : { ...change, shown: baseline }
}
