namespace VectorPipe.Measuring.Searches;

/// <summary>Counts at the device while searches are measured.</summary>
internal interface ISearchObserver
{
    /// <summary>Begins the measurement. The measuring thread calls it.</summary>
    void OnStarting();

    /// <summary>Ends the measurement, before any session is closed. The measuring thread calls it.</summary>
    void OnFinished();

    /// <summary>Counts of a session's device queue so far. The session's thread calls it.</summary>
    SessionCounts CountsOf(SearchSession session);
}
