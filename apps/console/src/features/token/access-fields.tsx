import { account } from '@sluice/contract'
import type { QueryClient } from '@tanstack/react-query'
import { Controller, useFormContext } from 'react-hook-form'
import { prefetch } from '../../lib/preload.ts'
import { readOptions } from '../../lib/reads.ts'
import { isSubnet } from '../../lib/subnet.ts'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { ChipsInput } from '../../ui/chips-input.tsx'
import { Field } from '../../ui/field.tsx'
import { PickerControl } from '../../ui/picker-control.tsx'
import { Switch } from '../../ui/toggle.tsx'
import type { TokenInput, TokenValues } from './token-values.ts'

const none: readonly string[] = []

/** How long the models of the account are not fetched again. */
const modelsFreshMs = 60_000

export const startModels = (client: QueryClient): void =>
  prefetch(client, readOptions(account.availableModels, {}, { freshMs: modelsFreshMs }))

/** What the token may be used for, and from where. */
export function AccessFields() {
  const t = useT()
  const { control: form, formState } = useFormContext<TokenValues, unknown, TokenInput>()
  const { data: models = none } = useRead(account.availableModels, { input: {}, freshMs: modelsFreshMs })
  const { errors } = formState
  return (
    <>
      <Field label={t('token.models')} hint={t('token.models.hint')} error={errors.models?.message}>
        {(control) => <PickerControl name="models" control={control} label={t('token.models')} items={models} allowsCustom={false} />}
      </Field>
      <Field label={t('token.subnet')} hint={t('token.subnet.hint')} error={errors.subnet?.message}>
        {(control) => (
          <Controller
            name="subnet"
            control={form}
            render={({ field }) => (
              <ChipsInput
                control={control}
                inputRef={field.ref}
                values={field.value}
                isValid={isSubnet}
                onChange={field.onChange}
                placeholder={t('token.subnet.placeholder')}
              />
            )}
          />
        )}
      </Field>
      <Controller
        name="own_work_only"
        control={form}
        render={({ field }) => (
          <Switch label={t('token.own_work_only')} hint={t('token.own_work_only.hint')} isOn={field.value} onChange={field.onChange} />
        )}
      />
    </>
  )
}
