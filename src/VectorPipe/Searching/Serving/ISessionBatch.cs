using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>A batch of requests of a session.</summary>
internal interface ISessionBatch<T>
    where T : PendingRequest
{
    int Rows { get; }

    /// <summary>Fills in the question of a row.</summary>
    void Ask(T request, int row);

    /// <summary>Takes the answer of a request's row.</summary>
    void Take(T request);
}
