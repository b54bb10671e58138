import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { withBasePath } from '../lib/base-path.ts'
import { builtInName, useStatus } from '../lib/status.ts'
import { cx } from '../lib/text.ts'
import { DataText } from '../ui/data-text.tsx'

interface BrandProps {
  /** The logo only on screens of middle width. */
  readonly isCompact?: boolean
  /** The logo only on the narrowest screens, where the name has too little space. */
  readonly isShort?: boolean
}

/** Name and logo: the configured ones, or else the built-in ones. */
export function Brand({ isCompact = false, isShort = false }: BrandProps) {
  const { system_name, logo } = useStatus()
  const name = system_name || builtInName
  useFavicon(logo ?? '')
  return (
    <Link to="/" className="flex min-w-0 items-center gap-2.5 rounded-sm font-semibold touch:min-h-11">
      <img src={logo || withBasePath('/logo.png')} alt="" width={24} height={24} className="size-6 shrink-0 rounded-sm object-contain" />
      <DataText
        text={name}
        className={cx('text-lg', isCompact && 'md:max-lg:sr-only', isShort ? 'max-[420px]:sr-only' : 'max-[379px]:sr-only')}
      />
    </Link>
  )
}

function useFavicon(logo: string): void {
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
    if (icon === null || logo === '') return
    icon.removeAttribute('type')
    icon.href = logo
  }, [logo])
}
