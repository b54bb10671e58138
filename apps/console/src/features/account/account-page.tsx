import { account, type InputOf, type SelfRow } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Controller, type FieldErrors, FormProvider, type UseFormRegister, useForm } from 'react-hook-form'
import { useFreshLogin } from '../../crud/use-fresh-login.tsx'
import { RevokeSwitch } from '../../crud/use-revoke-choice.tsx'
import { passwordToasts, passwordWarning } from '../../lib/password-warning.ts'
import { type Preload, prefetch } from '../../lib/preload.ts'
import { readOptions } from '../../lib/reads.ts'
import { refusalOfNoField, showRefusal } from '../../lib/refused-field.ts'
import { submitter, takeLost, takeSaved, useSubmitted } from '../../lib/saved-values.ts'
import { useT } from '../../lib/t.ts'
import { groupTags } from '../../lib/text.ts'
import { dismissToasts, showToast } from '../../lib/toasts.ts'
import { useCall, useRead } from '../../lib/use-call.ts'
import { inputResolver } from '../../lib/use-input-form.ts'
import { Alert } from '../../ui/alert.tsx'
import { Badge } from '../../ui/badge.tsx'
import { useBotCheck } from '../../ui/bot-check.tsx'
import { Button } from '../../ui/button.tsx'
import { DataText } from '../../ui/data-text.tsx'
import { Field } from '../../ui/field.tsx'
import { FormActions, FormSection } from '../../ui/form.tsx'
import { GuardedForm } from '../../ui/guarded-form.tsx'
import { Input, PasswordInput } from '../../ui/input.tsx'
import { Page } from '../../ui/page.tsx'
import { ReadGate } from '../../ui/read-gate.tsx'
import { SendCodeButton } from '../../ui/send-code-button.tsx'

type AccountInput = InputOf<typeof account.updateSelf>
type AccountValues = Record<Exclude<keyof AccountInput, 'revoke_access_tokens'>, string> & { revoke_access_tokens: boolean }

const passwordHints = { default: 'account.password.must', setup: 'account.password.first', none: 'account.password.keep' } as const

const noProof = { current_password: '', verification_code: '' }

const valuesOf = ({ username, display_name }: SelfRow): AccountValues => ({
  ...{ username, display_name, password: '', revoke_access_tokens: true },
  ...noProof,
})

export const preload: Preload = (client) => prefetch(client, readOptions(account.self, {}))

/**
 * The user's own account. Not built on `EntityEditPage`: it has no list and no id in its address, saving returns nothing and clears the
 * password, which first needs proof or a recent login, and the page shows more of the row than its form.
 */
export function AccountPage() {
  const t = useT()
  const self = useRead(account.self, { input: {}, isPreloaded: true })
  return (
    <Page title={t('account.title')} lead={t('account.lead')} isNarrow>
      <ReadGate read={self} isFresh>
        {(row) => (
          <div className="space-y-4">
            <PasswordWarning self={row} />
            <AccountForm self={row} />
            <Bindings self={row} />
          </div>
        )}
      </ReadGate>
    </Page>
  )
}

function PasswordWarning({ self }: { readonly self: SelfRow }) {
  const t = useT()
  const warning = passwordWarning(self)
  if (warning === null) return null
  return (
    <Alert kind="warning" title={t(`ownPassword.${warning}.title`)}>
      {t(`ownPassword.${warning}.text`)}
    </Alert>
  )
}

function AccountForm({ self }: { readonly self: SelfRow }) {
  const t = useT()
  const form = useForm<AccountValues, unknown, AccountInput>({
    defaultValues: valuesOf(self),
    resolver: inputResolver(account.updateSelf, (values: AccountValues) => values),
  })
  const { register, formState, watch } = form
  const client = useQueryClient()
  const submitted = useSubmitted<AccountValues>()
  const update = useCall(account.updateSelf, {
    onDone: (_, input) => {
      showToast('success', t('account.updated'))
      // They are not true any more.
      if (input.password !== '') for (const key of Object.values(passwordToasts)) dismissToasts('warning', t(key))
      const values = submitted.get(input) ?? form.getValues()
      takeSaved(form, { submitted: values, stored: { ...values, password: '', revoke_access_tokens: true, ...noProof } })
    },
  })
  const check = async () => {
    const stored = await client.fetchQuery({ ...readOptions(account.self, {}), staleTime: 0 })
    // Holds: the form has all its values from the start.
    return takeLost(form, { submitted: formState.defaultValues as AccountValues, stored: valuesOf(stored) })
  }
  const { ensure, dialog } = useFreshLogin('/user/edit')
  const send = (input: AccountInput, values: AccountValues) => {
    submitted.set(input, values)
    const save = () => update.mutate(input, { onError: (failure) => showRefusal(form, failure) })
    if (input.password === '' && input.username === self.username) save()
    // With a second factor, the current password does not replace a recent login; and a new name of an account without one needs it.
    else if (self.second_factor || (input.password === '' && !self.has_password)) ensure(save)
    else save()
  }
  const { errors, isDirty } = formState
  const isNewPassword = watch('password') !== ''
  return (
    <FormProvider {...form}>
      <GuardedForm isDirty={isDirty} failure={update.error} onCheck={check} onSubmit={submitter(form, send)}>
        <FormSection>
          <Field label={t('account.username')} error={errors.username?.message}>
            {(control) => <Input {...control} {...register('username')} autoComplete="username" />}
          </Field>
          <Field label={t('account.displayName')} hint={t('account.displayName.hint')} error={errors.display_name?.message}>
            {(control) => <Input {...control} {...register('display_name')} autoComplete="name" />}
          </Field>
          <Field label={t('account.password')} hint={t(passwordHints[passwordWarning(self) ?? 'none'])} error={errors.password?.message}>
            {(control) => (
              <PasswordInput {...control} {...register('password')} autoComplete="new-password" placeholder={t('account.password.hint')} />
            )}
          </Field>
          <Proof
            self={self}
            register={register}
            errors={errors}
            isNewPassword={isNewPassword}
            isNewName={watch('username') !== self.username}
          />
          {isNewPassword ? (
            <Controller
              name="revoke_access_tokens"
              control={form.control}
              render={({ field }) => <RevokeSwitch isOn={field.value} onChange={field.onChange} />}
            />
          ) : null}
        </FormSection>
        <FormActions errorCount={Object.keys(errors).length} refusal={refusalOfNoField(update.error, form.getValues())}>
          <Button type="submit" look="primary" isBusy={update.isPending}>
            {t(update.isPending ? 'action.saving' : 'action.save')}
          </Button>
        </FormActions>
      </GuardedForm>
      {dialog}
    </FormProvider>
  )
}

interface ProofProps {
  readonly self: SelfRow
  readonly register: UseFormRegister<AccountValues>
  readonly errors: FieldErrors<AccountValues>
  readonly isNewPassword: boolean
  readonly isNewName: boolean
}

/** Proves that the owner sets the new password or username. */
function Proof({ self, register, errors, isNewPassword, isNewName }: ProofProps) {
  const t = useT()
  const bot = useBotCheck(!self.has_password && !self.setup_pending && self.email !== '')
  // These ask for a new login instead.
  if (self.setup_pending || (self.has_password ? self.second_factor : !isNewPassword)) return null
  if (!isNewPassword && !isNewName) return null
  if (self.has_password) {
    return (
      <Field label={t('account.current')} hint={t('account.current.hint')} error={errors.current_password?.message}>
        {(control) => <PasswordInput {...control} {...register('current_password')} autoComplete="current-password" />}
      </Field>
    )
  }
  if (self.email === '') return <Alert kind="info">{t('account.code.bind')}</Alert>
  return (
    <>
      <Field label={t('account.code')} hint={t('account.code.hint')} error={errors.verification_code?.message}>
        {(control) => (
          <div className="flex gap-2">
            <Input {...control} {...register('verification_code')} inputMode="numeric" autoComplete="one-time-code" />
            <SendCodeButton emailOf={() => self.email} bot={bot} waitText={t('bot.wait')} successText={t('account.code.sent')} />
          </div>
        )}
      </Field>
      {bot.view}
    </>
  )
}

function Bindings({ self }: { readonly self: SelfRow }) {
  const t = useT()
  const bindings = [
    { label: t('account.email'), value: self.email },
    { label: t('account.github'), value: self.github_id },
    { label: t('account.google'), value: self.google_id },
    { label: t('account.oidc'), value: self.oidc_id },
    { label: t('account.wechat'), value: self.wechat_id },
    { label: t('account.lark'), value: self.lark_id },
  ]
  return (
    <FormSection title={t('account.bindings')}>
      <dl className="divide-y">
        <div className="flex items-center justify-between gap-4 pb-2">
          <dt className="text-muted">{t('account.group')}</dt>
          <dd className="flex flex-wrap justify-end gap-1">
            {groupTags(self.group).map(({ name, tone }) => (
              <Badge key={name} tone={tone}>
                {name}
              </Badge>
            ))}
          </dd>
        </div>
        {bindings.map(({ label, value }) => (
          <div key={label} className="flex items-center justify-between gap-4 py-2 last:pb-0">
            <dt className="text-muted">{label}</dt>
            <dd className="min-w-0">
              {value === '' ? <span className="text-muted">{t('account.unbound')}</span> : <DataText text={value} />}
            </dd>
          </div>
        ))}
      </dl>
    </FormSection>
  )
}
