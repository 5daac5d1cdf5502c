/** The service's reply for a completed agent job. */
export const COMPLETED_JOB = {
  id: "a1",
  status: "completed",
  source: { repository: "https://git.example.com/docs/site", ref: "agent/typos" },
  model: "model-7",
  prLink: "https://git.example.com/docs/site/pulls/4",
  createdAt: "2026-03-01T10:00:00Z",
  archivedAt: null,
};
