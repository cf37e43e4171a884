using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Graph;

/// <summary>A batch of requests of a session: says what each row asks for, and takes its answer.</summary>
/// <typeparam name="T">The kind of request.</typeparam>
internal interface ISessionBatch<T>
    where T : PendingRequest
{
    /// <summary>Rows.</summary>
    int Rows { get; }

    /// <summary>Fills in the question of a row.</summary>
    void Ask(T request, int row);

    /// <summary>Takes the answer of a request's row.</summary>
    void Take(T request);
}
