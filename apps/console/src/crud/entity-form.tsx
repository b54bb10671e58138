import type { ReactNode } from 'react'
import { type FieldValues, FormProvider, type UseFormReturn, useForm } from 'react-hook-form'
import { refusalOfNoField } from '../lib/refused-field.ts'
import { type LostOutcome, submitter } from '../lib/saved-values.ts'
import { useT } from '../lib/t.ts'
import type { ComparedRow } from '../lib/use-draft.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { FormActions } from '../ui/form.tsx'
import { GuardedForm } from '../ui/guarded-form.tsx'
import type { EntitySpec } from './entity-spec.ts'
import { FormRow } from './form-row.ts'

export function useEntityForm<Row, Values extends FieldValues, Input extends object, Created>(
  { resolverFor }: EntitySpec<Row, Values, Input, Created>,
  baseline: Row | null,
  values: Values,
): UseFormReturn<Values, unknown, Input> {
  // Holds: all values are given, which the library's type of defaults cannot say for a type parameter.
  return useForm<Values, unknown, Input>({ defaultValues: values as never, resolver: resolverFor(baseline) })
}

interface EntityFormProps<Values extends FieldValues, Input extends object>
  extends Pick<EntitySpec<never, Values, Input, never>, 'listPath' | 'Fields' | 'texts' | 'Actions'> {
  readonly form: UseFormReturn<Values, unknown, Input>
  readonly baseline: unknown
  /** What a save compares with the stored row. */
  readonly comparedRow?: ComparedRow
  readonly isNew: boolean
  readonly isBusy: boolean
  /** Why the last save failed. */
  readonly failure: Error | null
  /** Gets the input, and the values of the form that it was made of. */
  readonly onSend: (input: Input, values: Values) => void
  readonly onCheck?: (() => Promise<LostOutcome>) | undefined
  readonly staysAfterSave?: boolean
  /** Above the fields. */
  readonly notice?: ReactNode
}

/** The form of a row, new or not. */
export function EntityForm<Values extends FieldValues, Input extends object>(props: EntityFormProps<Values, Input>) {
  const t = useT()
  const { form, isNew, isBusy, onSend, Fields, Actions, failure, onCheck, comparedRow = null, staysAfterSave = false } = props
  const { errors, isDirty } = form.formState
  return (
    <FormProvider {...form}>
      <GuardedForm
        isDirty={isDirty}
        failure={failure}
        onCheck={onCheck}
        isNew={isNew}
        compared={comparedRow}
        staysAfterSave={staysAfterSave}
        onSubmit={submitter(form, onSend)}
      >
        <FormRow value={props.baseline}>
          {props.notice}
          <Fields isNew={isNew} />
          <FormActions errorCount={Object.keys(errors).length} refusal={refusalOfNoField(failure, form.getValues())}>
            <Button type="submit" look="primary" isBusy={isBusy}>
              {t(isBusy ? 'action.saving' : isNew ? props.texts.add : 'action.save')}
            </Button>
            <ButtonLink to={props.listPath}>{t('action.cancel')}</ButtonLink>
            {Actions === undefined ? null : <Actions />}
          </FormActions>
        </FormRow>
      </GuardedForm>
    </FormProvider>
  )
}
