import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { passwordStrength, type Strength } from './password-strength.ts'

const colours: Readonly<Record<Strength, string>> = { 0: 'bg-red', 1: 'bg-red', 2: 'bg-yellow', 3: 'bg-olive', 4: 'bg-green' }

const steps = [1, 2, 3, 4] as const

/** How hard a password is to guess, as bars and in words. */
export function PasswordMeter({ password }: { readonly password: string }) {
  const t = useT()
  if (password === '') return t('register.password.hint')
  const strength = passwordStrength(password)
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden className="flex flex-1 gap-1">
        {steps.map((step) => (
          <span key={step} className={cx('h-1 flex-1 rounded-full', step <= Math.max(1, strength) ? colours[strength] : 'bg-line')} />
        ))}
      </span>
      <span className="min-w-16 text-right">{t(`strength.${strength}`)}</span>
    </span>
  )
}
