/** 选项和渠道的修改历史，以及文本差异。 */
export const history = {
  'history.title': '修改历史：{name}',
  'history.none': '暂无修改',
  'history.none.text': '此后的每次修改都会列在这里，并可恢复。',
  'history.restore': '恢复为修改前',
  'history.restored': '已恢复',
  'history.hidden': '已更换密钥或其他机密内容，历史中不保留机密内容。',
  'diff.before': '修改前',
  'diff.after': '修改后',
  'diff.added': '新增',
  'diff.removed': '移除',
  'diff.empty': '（空）',
  'diff.more': { other: '另有 {count} 项' },
} as const
