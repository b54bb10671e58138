import { account } from '@sluice/contract'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type FieldErrors, type Resolver, type UseFormReturn, useForm } from 'react-hook-form'
import { explain } from '../../lib/api.ts'
import { refusedField, showRefusal } from '../../lib/refused-field.ts'
import { useStatus } from '../../lib/status.ts'
import { storage } from '../../lib/storage.ts'
import { isMessageKey, type MessageKey, useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import { Alert } from '../../ui/alert.tsx'
import { type BotCheck, useBotCheck } from '../../ui/bot-check.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Input, PasswordInput } from '../../ui/input.tsx'
import { SendCodeButton } from '../../ui/send-code-button.tsx'
import { PasswordMeter } from './password-meter.tsx'

interface Values {
  readonly username: string
  readonly password: string
  readonly password2: string
  readonly email: string
  readonly verification_code: string
}

const empty: Values = { username: '', password: '', password2: '', email: '', verification_code: '' }

const fields = [...Object.keys(empty), 'turnstile']

const passwordMin = 8

export function RegisterForm() {
  const t = useT()
  const { email_verification = false } = useStatus()
  const bot = useBotCheck()
  const [isWaiting, setWaiting] = useState(false)
  const form = useForm<Values>({ defaultValues: empty, resolver: resolverOf(email_verification) })
  const create = useRegister(form, bot)
  const refused = refusedField(create.error, fields)
  const refusal = create.error === null || refused !== null ? null : explain(create.error)
  const submit = form.handleSubmit((values) => {
    if (create.isPending) return
    setWaiting(!bot.isReady)
    if (bot.isReady) create.send(values)
    else showToast('info', t('bot.wait'))
  })
  const errorOf = useErrorOf(form.formState.errors)
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="space-y-4">
      {refusal === null ? null : <Alert kind="error">{refusal.text}</Alert>}
      <Field label={t('register.username')} hint={t('register.username.hint')} error={errorOf('username')}>
        {(control) => (
          <Input
            {...control}
            {...form.register('username')}
            placeholder={t('register.username.placeholder')}
            autoComplete="username"
            autoCapitalize="none"
          />
        )}
      </Field>
      <Field label={t('login.password')} hint={<PasswordMeter password={form.watch('password')} />} error={errorOf('password')}>
        {(control) => (
          <PasswordInput
            {...control}
            {...form.register('password')}
            placeholder={t('register.password.placeholder')}
            autoComplete="new-password"
          />
        )}
      </Field>
      <Field label={t('register.password2')} error={errorOf('password2')}>
        {(control) => <PasswordInput {...control} {...form.register('password2')} autoComplete="new-password" />}
      </Field>
      {email_verification ? <EmailFields form={form} bot={bot} errorOf={errorOf} /> : null}
      {bot.view}
      {refused?.name === 'turnstile' ? <Alert kind="error">{refused.text}</Alert> : null}
      {isWaiting && !bot.isReady ? <Alert kind="info">{t('bot.wait')}</Alert> : null}
      <Button type="submit" look="primary" className="w-full" isBusy={create.isPending}>
        {t(create.isPending ? 'register.busy' : 'register.submit')}
      </Button>
    </form>
  )
}

type ErrorOf = (name: keyof Values) => string | undefined

interface EmailFieldsProps {
  readonly form: UseFormReturn<Values>
  readonly bot: BotCheck
  readonly errorOf: ErrorOf
}

function EmailFields({ form, bot, errorOf }: EmailFieldsProps) {
  const t = useT()
  return (
    <>
      <Field label={t('register.email')} error={errorOf('email')}>
        {(control) => <Input {...control} {...form.register('email')} type="email" autoComplete="email" />}
      </Field>
      <Field label={t('code.label')} error={errorOf('verification_code')}>
        {(control) => (
          <div className="flex gap-2">
            <Input {...control} {...form.register('verification_code')} inputMode="numeric" autoComplete="one-time-code" />
            <SendCodeButton
              emailOf={() => form.getValues('email')}
              bot={bot}
              waitText={t('bot.wait')}
              successText={t('register.code.sent')}
              onFailed={(failure) => showRefusal(form, failure)}
            />
          </div>
        )}
      </Field>
    </>
  )
}

/** Errors are keys of texts, so that they follow a change of the language. */
function useErrorOf(errors: FieldErrors<Values>): ErrorOf {
  const t = useT()
  return (name) => {
    const key = errors[name]?.message
    return key !== undefined && isMessageKey(key) ? t(key) : key
  }
}

/** The checks of the specification, section 5; the server makes all others. */
function resolverOf(hasEmail: boolean): Resolver<Values> {
  return (values) => {
    const wrong: Partial<Record<keyof Values, MessageKey>> = {
      ...(values.username.trim() === '' && { username: 'register.username.missing' }),
      ...passwordFaults(values),
      ...(hasEmail && values.email.trim() === '' && { email: 'register.email.missing' }),
      ...(hasEmail && values.verification_code.trim() === '' && { verification_code: 'register.code.missing' }),
    }
    const errors = Object.fromEntries(Object.entries(wrong).map(([name, message]) => [name, { type: 'value', message }]))
    return Object.keys(errors).length === 0 ? { values, errors: {} } : { values: {}, errors }
  }
}

function passwordFaults({ password, password2 }: Values): Partial<Record<keyof Values, MessageKey>> {
  if (password === '') return { password: 'register.password.missing' }
  if ([...password].length < passwordMin) return { password: 'register.password.short' }
  return password === password2 ? {} : { password2: 'register.password.differ' }
}

function useRegister(form: UseFormReturn<Values>, bot: BotCheck) {
  const t = useT()
  const navigate = useNavigate()
  const { mutate, isPending, error } = useCall(account.register, {
    onDone: async (_, { username }) => {
      showToast('success', t('register.done'))
      await navigate({ to: '/login', state: { username } })
    },
  })
  const send = (values: Values): void => {
    const username = values.username.trim()
    const input = { ...values, username, aff_code: storage.readText('aff') ?? '', turnstile: bot.token }
    mutate(input, { onError: (failure) => showRefusal(form, failure) })
    bot.renew()
  }
  return { send, isPending, error }
}
