import { account } from '@sluice/contract'
import { CircleUser, Keyboard, Languages, LogOut, Moon, Sun, SunMoon, UserPen } from 'lucide-react'
import { formatQuota } from '../lib/quota.ts'
import { useSession } from '../lib/session.ts'
import { useMoney, useStatus } from '../lib/status.ts'
import { localeNames, locales, setLocale, useLocale, useT } from '../lib/t.ts'
import { shortUsername } from '../lib/text.ts'
import { densities, setDensity, setTheme, themes, useDensity, useTheme } from '../lib/theme.ts'
import { useRead } from '../lib/use-call.ts'
import { ButtonLink, iconButtonClass } from '../ui/button.tsx'
import { DataText } from '../ui/data-text.tsx'
import { Menu, MenuChoice, MenuItem, MenuLink, MenuSeparator, MenuText } from '../ui/menu.tsx'
import { openOverlay } from './overlay.ts'
import { useLogout } from './use-logout.ts'
import { useIsVisitorPage } from './visitor-pages.ts'

const frameButton = `${iconButtonClass} size-8`

/** The menus at the right end of the top bar. A separate chunk, because the first page does not need them. */
export function FrameMenus() {
  return (
    <>
      <LocaleMenu />
      <ThemeMenu />
      <UserMenu />
    </>
  )
}

function LocaleMenu() {
  const t = useT()
  const locale = useLocale()
  return (
    <Menu
      opensOnHover
      trigger={
        <button type="button" aria-label={t('lang.label')} className={frameButton}>
          <Languages aria-hidden className="size-4" />
        </button>
      }
    >
      <LocaleChoice locale={locale} />
    </Menu>
  )
}

function LocaleChoice({ locale }: { readonly locale: (typeof locales)[number] }) {
  const t = useT()
  return (
    <MenuChoice
      label={t('lang.label')}
      value={locale}
      options={locales.map((value) => ({ value, label: localeNames[value] }))}
      onChange={(value) => void setLocale(value)}
    />
  )
}

function ThemeMenu() {
  const t = useT()
  const theme = useTheme()
  const Icon = { light: Sun, dark: Moon, system: SunMoon }[theme]
  return (
    <Menu
      opensOnHover
      trigger={
        <button type="button" aria-label={t('theme.label')} className={frameButton}>
          <Icon aria-hidden className="size-4" />
        </button>
      }
    >
      <MenuChoice
        label={t('theme.label')}
        value={theme}
        options={themes.map((value) => ({ value, label: t(`theme.${value}`) }))}
        onChange={setTheme}
      />
      <DensityChoice />
    </Menu>
  )
}

/** The height of rows; on a touch screen it is always the same. */
function DensityChoice() {
  const t = useT()
  const density = useDensity()
  return (
    <div className="mt-1 border-t pt-1 touch:hidden">
      <MenuChoice
        label={t('density.label')}
        value={density}
        options={densities.map((value) => ({ value, label: t(`density.${value}`) }))}
        onChange={setDensity}
      />
    </div>
  )
}

function UserMenu() {
  const t = useT()
  const { isSignedIn } = useSession()
  const isOfVisitors = useIsVisitorPage()
  const { register = true } = useStatus()
  if (isSignedIn && !isOfVisitors) return <SignedInMenu />
  return (
    <>
      {register ? (
        <ButtonLink to="/register" look="quiet" size="sm" className="max-[360px]:hidden">
          {t('user.register')}
        </ButtonLink>
      ) : null}
      <ButtonLink to="/login" look="primary" size="sm">
        {t('user.login')}
      </ButtonLink>
    </>
  )
}

function SignedInMenu() {
  const t = useT()
  const money = useMoney()
  const { data: self } = useRead(account.self, { input: {}, freshMs: 60_000 })
  const name = self === undefined ? '' : self.display_name || self.username
  const logOut = useLogout()
  return (
    <Menu
      opensOnHover
      trigger={
        <button
          type="button"
          aria-label={name === '' ? t('user.menu.plain') : t('user.menu', { name })}
          className="inline-flex h-8 items-center gap-2 rounded-sm px-1.5 text-muted hover:bg-hover hover:text-text data-popup-open:bg-hover touch:h-11"
        >
          <CircleUser aria-hidden className="size-5" />
          <span className="max-w-40 truncate text-sm font-medium max-sm:hidden">{shortUsername(name)}</span>
        </button>
      }
    >
      {self === undefined ? null : (
        <>
          <MenuText>
            <DataText text={name} className="max-w-56 font-medium text-text" />
            <span className="tabular">{t('user.balance', { quota: formatQuota(self.quota, money) })}</span>
          </MenuText>
          <MenuSeparator />
        </>
      )}
      <MenuLink to="/user/edit" icon={<UserPen aria-hidden />}>
        {t('user.edit')}
      </MenuLink>
      <MenuItem icon={<Keyboard aria-hidden />} onClick={() => openOverlay('keys')}>
        {t('keys.title')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<LogOut aria-hidden />} onClick={() => logOut.mutate({})}>
        {t('user.logout')}
      </MenuItem>
    </Menu>
  )
}
