"""What templates are given: one frozen page object per template, and the parts that pages share.

Owns: the contract between views and templates. Refuses: to reach Redis, to know Flask.

Every template is rendered with three names:

- `page`: the object below. It carries ready addresses, labels with numbers, instants and figures;
  a template computes nothing.
- `shell`: what surrounds the page (`shell.Shell`), with the outcome of an act in `shell.said`.
- `region`: for the macro `live` (`shell.Region`: href, poll_seconds, tag, as_of).

| template | page |
|---|---|
| `pages/overview.html` | `overview.OverviewPage` |
| `pages/workers.html` | `workers.WorkersPage` (all queues, and one queue: then `page.queue` is set) |
| `pages/queue.html` | `queue.QueuePage` |
| `pages/jobs.html` | `job_list.JobListPage` (pending, processing, delayed, dead: `page.place`) |
| `pages/trash.html` | `trash.TrashPage` |
| `pages/job.html` | `job.JobPage` |
| `pages/reap.html` | `reap.ReapPage` |
| `pages/reap_stale.html` | `reap.ReapStalePage` |
| `pages/sign_in.html` | `sign_in.SignInPage` |
| `errors/error.html`, `errors/lone.html`, `errors/fragment.html` | `error.ErrorPage`, as `fault` too |

A region polls `page.live_href`; the answer is the block `live` of the same template alone, or 304 when
nothing but act ids and ages changed. Fields marked untagged (act ids, the instant of the page, ages
computed from it) do not count as a change. Each answer carries `X-As-Of` (ISO, UTC), 304 too. The hidden
fields of an act are `act.hidden` (a dict with the act id). Addresses below `/-/` belong to the console
itself (`/-/static/`, `/-/sign-in`): use the global `asset("css/app.css")` for files.

Filters: `number` (1,204; None is a dash), `duration` (seconds: "3 min 12 s"), `ago` (`at|ago(page.now)`:
"2 s ago", "in 4 s"), `iso` (for `datetime=`), `clock` ("12:03:07 UTC"), `bytes_size` ("1.0 MB").
All text here is already free of control and direction characters; Jinja escapes the rest.
"""
