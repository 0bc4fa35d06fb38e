// Made from the code by `python tools/make_types.py`. Change the code, then run that again.

export type ErrorCode = "INVALID_INPUT" | "NOT_FOUND" | "PATH_OUTSIDE_WORKSPACE" | "PROTECTED_PATH" | "EDIT_CONFLICT" | "TRANSACTION_STATE" | "APPROVAL_REQUIRED" | "APPROVAL_DENIED" | "AMBIGUOUS_APPROVAL" | "EXECUTABLE_DENIED" | "AGENT_DISABLED" | "LIMIT_EXCEEDED" | "TIMEOUT" | "CANCELLED" | "UNSUPPORTED" | "IO_ERROR" | "INTERNAL";

export type AcceptAnswer = { approval: ApprovalRow; envelope?: Record<string, unknown>; summary?: string };

export type AcceptParams = { words?: string; hold?: boolean; files?: string[]; hunks?: string[] };

export type ActorRow = { kind: string; name: string };

export type ApprovalDecided = { approval_id: string; kind: string; status: string };

export type ApprovalRow = { id: string; kind: string; status: string; title: string; note: string; decidedBy: string | null; amended: Record<string, unknown> | null };

export type ApprovalStaged = { approval_id: string; kind: string; title: string };

export type AuditExportAnswer = { lines: Record<string, unknown>[] };

export type AuditExportParams = { since?: number; server?: boolean; limit?: number };

export type AuditVerifyAnswer = { lines: number; hash: string; checked: number; entries: number; head: Record<string, unknown>; faults: Record<string, unknown>[]; total: number; good: boolean };

export type AuditVerifyParams = { since?: number; server?: boolean; expect?: [number, string] | null };

export type BuffersChanged = { action: string; paths: string[]; actor_kind: string; actor: string; session: string };

export type ChangeRow = { path: string; shown: string; origin: string | null; change: string; folder: boolean; added: number | null; removed: number | null; before: number; after: number };

export type ClientFolder = { id: string; path: string | null };

export type ClientRow = { id: string; name: string; token: string; profile: string; workspaces: ClientFolder[]; createdAt: string; expiresAt: string | null; expired: boolean };

export type ClientsCreateAnswer = { client: ClientRow; token: string; url: string | null };

export type ClientsCreateParams = { name: string; folders: string[]; profile?: string; seconds?: number | null };

export type ClientsListAnswer = { clients: ClientRow[] };

export type ClientsListParams = object;

export type ClientsRevokeAnswer = { client: ClientRow };

export type ClientsRevokeParams = { name: string };

export type CloseAnswer = { closed: boolean };

export type CloseParams = { path: string };

export type Committed = { entry: number; transaction_id: string; paths: string[]; total: number; actor: string; cause: string };

export type DenyAnswer = { approval: ApprovalRow; envelope?: Record<string, unknown>; summary?: string };

export type DenyParams = { words?: string };

export type EditAnswer = { approval: ApprovalRow; envelope?: Record<string, unknown>; summary?: string };

export type EditParams = { words?: string; contents: Record<string, string | Base64>; hold?: boolean; fingerprint?: string | null };

export type EditableRow = { path: string; shown: string; obstacle?: string; base64?: string; encoding?: string | null; flags?: string[] };

export type EntryRow = { number: number; transactionId: string; at: string; actor: ActorRow; session: string; cause: string; title: string; paths: string[]; total: number; added: number; removed: number; undoes: number | null; undoneBy: number | null; approvalId: string | null; decidedBy: string | null; forgotten: boolean; warnings: string[]; flags: string[] };

export type HunkRow = { path: string; ids: string[] };

export type LogAnswer = { entries: EntryRow[] };

export type LogParams = { limit?: number; before?: number | null };

export type ModeAnswer = { mode: string; level: number };

export type ModeChanged = { mode: string };

export type ModeParams = { mode?: string | null };

export type OpenAnswer = { path: string; mode: string | null; pending: number; error?: string };

export type OpenParams = { path: string; adopt?: string | null };

export type PageCodeAnswer = { code: string; url: string; link: string };

export type PageCodeParams = object;

export type PageRow = { id: string; createdAt: string; browser: string };

export type PagesListAnswer = { pages: PageRow[] };

export type PagesListParams = object;

export type PagesRevokeAnswer = { page: PageRow };

export type PagesRevokeParams = { name: string };

export type PendingAnswer = { pending: WaitingRow[] };

export type PendingParams = object;

export type PlanChanged = { plan_id: string; status: string };

export type PresenceChanged = { actors: string[]; total: number };

export type PresenceListAnswer = { present: PresentRow[] };

export type PresenceListParams = object;

export type PresentRow = { actor: ActorRow; session: string; mine: boolean; since: string; at: string; path: string; did: string };

export type Previewed = { entry: EntryRow; paths: string[]; text: string; warnings: string[]; flags: string[]; fingerprint: string };

export type ProposalAnswer = { id: string; fingerprint: string; files: EditableRow[] };

export type ProposalParams = { words?: string };

export type RewindAnswer = Undone | RewindPreviewed;

export type RewindParams = { to: string; only?: string[]; force?: boolean; merge?: boolean; preview?: boolean; fingerprint?: string | null };

export type RewindPreviewed = { title: string; to: number; taken: number[]; paths: string[]; text: string; warnings: string[]; flags: string[]; fingerprint: string };

export type ServerRow = { version: string; pid: number; state: string; started: number; http: string | null; http_warning: string };

export type SettingRow = { name: string; aliases: string[]; value: unknown; default: unknown; source: "default" | "user" | "workspace"; documentation: string };

export type SettingsChanged = { keys: string[] };

export type SettingsGetAnswer = { name: string; aliases: string[]; value: unknown; default: unknown; source: "default" | "user" | "workspace"; documentation: string };

export type SettingsGetParams = { key: string };

export type SettingsListAnswer = { settings: SettingRow[] };

export type SettingsListParams = object;

export type SettingsSetAnswer = { name: string; aliases: string[]; value: unknown; default: unknown; source: "default" | "user" | "workspace"; documentation: string };

export type SettingsSetParams = { key: string; user?: boolean; value: unknown };

export type SettingsUnsetAnswer = { name: string; aliases: string[]; value: unknown; default: unknown; source: "default" | "user" | "workspace"; documentation: string };

export type SettingsUnsetParams = { key: string; user?: boolean };

export type ShowAnswer = { id: string; kind: string; status: string; destructive: boolean; title: string; facts: string[]; body: string; words: string; flags: string[]; obstacle: string; sha256: string; editable: boolean; hunks: HunkRow[]; changes: ChangeRow[]; text: string };

export type ShowParams = { id?: string | null };

export type StatusAnswer = { server: ServerRow; workspaces: WorkspaceRow[]; known: string[]; warning: string };

export type StatusParams = object;

export type SymbolRow = { name: string; kind: string; line: number; level: number; signature: string };

export type SymbolsAnswer = { symbols: SymbolRow[]; faulty: boolean; cut: boolean; unparsed: string };

export type SymbolsParams = { path: string; text?: string | null };

export type ToolAnswer = Record<string, unknown>;

export type ToolParams = { name: string; arguments?: Record<string, unknown> };

export type UndoAnswer = Undone | Previewed;

export type UndoParams = { id?: string | null; force?: boolean; merge?: boolean; preview?: boolean; fingerprint?: string | null };

export type Undone = { entry: EntryRow };

export type WaitingRow = { id: string; kind: string; title: string; asker: string; destructive: boolean; asks: string[]; flags: string[]; createdAt: string; expiresAt: string };

export type WorkspaceRow = { path: string; mode: string | null; pending: number; error?: string };

export type Base64 = { base64: string };

/** The person's methods, by name. */
export interface Methods {
  "status": { params: StatusParams; answer: StatusAnswer };
  "open": { params: OpenParams; answer: OpenAnswer };
  "close": { params: CloseParams; answer: CloseAnswer };
  "pending": { params: PendingParams; answer: PendingAnswer };
  "show": { params: ShowParams; answer: ShowAnswer };
  "accept": { params: AcceptParams; answer: AcceptAnswer };
  "proposal": { params: ProposalParams; answer: ProposalAnswer };
  "edit": { params: EditParams; answer: EditAnswer };
  "deny": { params: DenyParams; answer: DenyAnswer };
  "mode": { params: ModeParams; answer: ModeAnswer };
  "settings.list": { params: SettingsListParams; answer: SettingsListAnswer };
  "settings.get": { params: SettingsGetParams; answer: SettingsGetAnswer };
  "settings.set": { params: SettingsSetParams; answer: SettingsSetAnswer };
  "settings.unset": { params: SettingsUnsetParams; answer: SettingsUnsetAnswer };
  "log": { params: LogParams; answer: LogAnswer };
  "tool": { params: ToolParams; answer: ToolAnswer };
  "undo": { params: UndoParams; answer: UndoAnswer };
  "rewind": { params: RewindParams; answer: RewindAnswer };
  "presence.list": { params: PresenceListParams; answer: PresenceListAnswer };
  "symbols": { params: SymbolsParams; answer: SymbolsAnswer };
  "audit.verify": { params: AuditVerifyParams; answer: AuditVerifyAnswer };
  "audit.export": { params: AuditExportParams; answer: AuditExportAnswer };
  "clients.create": { params: ClientsCreateParams; answer: ClientsCreateAnswer };
  "clients.list": { params: ClientsListParams; answer: ClientsListAnswer };
  "clients.revoke": { params: ClientsRevokeParams; answer: ClientsRevokeAnswer };
  "page.code": { params: PageCodeParams; answer: PageCodeAnswer };
  "pages.list": { params: PagesListParams; answer: PagesListAnswer };
  "pages.revoke": { params: PagesRevokeParams; answer: PagesRevokeAnswer };
}

/** What happened, by its type on the wire. */
export interface Events {
  "approval_decided": ApprovalDecided;
  "approval_staged": ApprovalStaged;
  "buffers_changed": BuffersChanged;
  "committed": Committed;
  "mode_changed": ModeChanged;
  "plan_changed": PlanChanged;
  "presence_changed": PresenceChanged;
  "settings_changed": SettingsChanged;
}

/** The flat tools, which the method `tool` calls. */
export interface Tools {
  "editor_workspace_open": { takes: { root: string }; answers: { root: string; buffers: { path: string; language: string; mtime: number; version?: string; owner?: string; owner_kind?: string; mine?: boolean; truncated?: boolean }[]; expanded: string[] } };
  "editor_workspace_get": { takes: object; answers: { root: string; buffers: { path: string; language: string; mtime: number; version?: string; owner?: string; owner_kind?: string; mine?: boolean; truncated?: boolean }[]; expanded: string[] } };
  "editor_tree": { takes: { path?: string; max_depth?: number; expand?: string[]; collapse?: string[]; include_ignored?: boolean }; answers: { root: string; path: string; expanded: string[]; tree: unknown; truncated?: boolean; left_out?: object } };
  "editor_find": { takes: { query: string; limit?: number; include_untracked?: boolean }; answers: { matches: { path: string; score: number; positions: number[] }[]; scanned: number; truncated: boolean; from_git: boolean; more?: boolean } };
  "editor_search": { takes: { pattern: string; ignore_case?: boolean; include_glob?: string[]; max_matches?: number }; answers: { files: { path: string; hits: { line: number; text: string; column?: number; length?: number; cut?: boolean }[] }[]; total: number; truncated: boolean; skipped?: object } };
  "editor_open": { takes: { path: string; start_byte?: number; end_byte?: number; start_line?: number }; answers: { path: string; content: string; language: string; mtime: number; size: number; truncated: boolean; version: string; encoding?: string; lossy?: boolean; picture?: string; start_byte?: number; end_byte?: number; first_line?: number | null; total_lines?: number | null } };
  "editor_save": { takes: { path: string; content: string; expected_version?: string; expected_mtime?: number }; answers: { path: string; saved: boolean; conflict: boolean; created: boolean; added: number; removed: number; mtime: number; version: string; conflict_patch?: string | null; disk_mtime?: number | null; disk_version?: string | null; conflict_patch_truncated?: boolean; transaction_id?: string | null } };
  "editor_create": { takes: { path: string; kind?: "file" | "folder"; content?: string }; answers: { path: string; created: boolean; kind: "file" | "folder"; transaction_id?: string | null } };
  "editor_move": { takes: { from: string; to: string }; answers: { from: string; to: string; remapped: number; root: string; buffers: { path: string; language: string; mtime: number; version?: string; owner?: string; owner_kind?: string; mine?: boolean; truncated?: boolean }[]; transaction_id?: string | null } };
  "editor_delete": { takes: { path: string; recursive?: boolean }; answers: { path: string; deleted: boolean; buffers_closed: string[]; buffers: { path: string; language: string; mtime: number; version?: string; owner?: string; owner_kind?: string; mine?: boolean; truncated?: boolean }[]; transaction_id?: string | null } };
  "editor_diff": { takes: { before: string; after: string; context_lines?: number; path?: string }; answers: { patch: string; hunks: { old_start: number; old_lines: number; new_start: number; new_lines: number; added: number; removed: number }[]; added: number; removed: number; identical: boolean; truncated: boolean } };
  "editor_changes": { takes: { limit?: number; entry?: number }; answers: { changes: ({ path: string; cause: string; kind: string; added: number; removed: number; patch?: string; truncated?: boolean; root?: string; session_id?: string | null; turn_id?: string | null; entry?: number; at?: string; actor?: string; actor_kind?: string; moved_from?: string | null })[]; truncated?: boolean } };
  "editor_git_status": { takes: { cwd?: string }; answers: { branch?: string | null; upstream?: string | null; ahead: number; behind: number; clean: boolean; entries: ({ path: string; index: string; worktree: string; staged: boolean; renamed_from?: string | null })[]; head?: string | null; version?: string; staged_version?: string } };
  "editor_git_hunks": { takes: { path: string; against?: "worktree" | "index" | "head" | "upstream"; context_lines?: number; cwd?: string }; answers: { path: string; against: "worktree" | "index" | "head" | "upstream"; patch: string; hunks: { old_start: number; old_lines: number; new_start: number; new_lines: number; added: number; removed: number }[]; added: number; removed: number; untracked: boolean; patch_version?: string; truncated?: boolean | null } };
  "editor_git_show": { takes: { path: string; rev?: string; cwd?: string }; answers: { path: string; rev: string; exists: boolean; content: string; binary?: boolean | null; truncated?: boolean | null } };
  "editor_git_stage": { takes: { action: "stage" | "unstage"; paths: string[]; hunks?: number[]; context_lines?: number; patch_version?: string; cwd?: string }; answers: { action: "stage" | "unstage"; ok: boolean; summary: string; paths?: string[]; total?: number } };
  "editor_git_commit": { takes: { message: string; stage_all?: boolean; expected_version?: string; cwd?: string }; answers: { committed: boolean; sha?: string | null; summary: string; hooks_skipped?: string[]; unsigned?: boolean } };
  "editor_git_undo_commit": { takes: { cwd?: string; force?: boolean; expected_sha?: string }; answers: { undone_sha: string; message: string; outside?: number } };
  "editor_git_stash": { takes: { action: "push" | "pop"; cwd?: string }; answers: { action: "push" | "pop"; ok: boolean; summary: string; paths?: string[]; total?: number; hooks_skipped?: string[] } };
  "editor_git_sync": { takes: { action: "fetch" | "pull" | "push"; cwd?: string }; answers: { action: "fetch" | "pull" | "push"; ok: boolean; ahead: number; behind: number; summary: string; hooks_skipped?: string[] } };
  "editor_buffers_list": { takes: object; answers: { root: string; buffers: { path: string; language: string; mtime: number; version?: string; owner?: string; owner_kind?: string; mine?: boolean; truncated?: boolean }[]; others?: string[] } };
  "editor_buffers_close": { takes: { path: string }; answers: { root: string; buffers: { path: string; language: string; mtime: number; version?: string; owner?: string; owner_kind?: string; mine?: boolean; truncated?: boolean }[]; closed: boolean } };
}
