namespace VectorPipe.Measuring.Searches;

/// <summary>Counts something of its own while searches are measured. Called by the measuring thread while no query is under way.</summary>
internal interface ISearchObserver
{
    /// <summary>All threads are warm; the next thing that happens is the measurement.</summary>
    void OnStarting();

    /// <summary>All queries are answered; no session is closed yet.</summary>
    void OnFinished();
}
