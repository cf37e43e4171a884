using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>A batch of requests of a session.</summary>
internal interface ISessionBatch<T>
    where T : PendingRequest
{
    int Rows { get; }

    void Ask(T request, int row);

    void Take(T request);

    /// <summary>Takes the error of a request; false if the batch ends with it.</summary>
    bool TakesError(T request);
}
