namespace VectorPipe.Measuring.Searches;

/// <summary>Counts something of its own while searches are measured. Called by the measuring thread.</summary>
internal interface ISearchObserver
{
    /// <summary>The next thing that happens is the measurement.</summary>
    void OnStarting();

    /// <summary>The measurement is over; no session is closed yet.</summary>
    void OnFinished();
}
