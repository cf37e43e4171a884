namespace VectorPipe.Measuring.Searches;

/// <summary>Counts something of its own while searches are measured.</summary>
internal interface ISearchObserver
{
    /// <summary>The next thing that happens is the measurement. Called by the measuring thread.</summary>
    void OnStarting();

    /// <summary>The measurement is over; no session is closed yet. Called by the measuring thread.</summary>
    void OnFinished();

    /// <summary>Counts of a session's device queue so far. Called by the session's thread.</summary>
    SessionCounts CountsOf(SearchSession session);
}
