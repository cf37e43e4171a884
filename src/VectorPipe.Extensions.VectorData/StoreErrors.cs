using System.Runtime.CompilerServices;
using Microsoft.Extensions.VectorData;

namespace VectorPipe.Extensions.VectorData;

/// <summary>Errors of a collection as those of a vector store, with the collection and the operation in them.</summary>
/// <param name="store">Name of the store.</param>
/// <param name="collection">Name of the collection; null for operations of the store.</param>
internal sealed class StoreErrors(string store, string? collection)
{
    /// <summary>What stores of this library are called in metadata and errors.</summary>
    public const string SystemName = "vectorpipe";

    /// <summary>Runs an operation.</summary>
    /// <exception cref="VectorStoreException">It failed; the cause is its inner exception.</exception>
    public async Task<T> RunAsync<T>(string operation, Func<Task<T>> run)
    {
        try
        {
            return await run().ConfigureAwait(false);
        }
        catch (Exception e) when (IsStoreError(e))
        {
            throw Wrap(operation, e);
        }
    }

    /// <summary>Runs an operation without a result.</summary>
    /// <exception cref="VectorStoreException">It failed; the cause is its inner exception.</exception>
    public Task RunAsync(string operation, Func<Task> run) => RunAsync(operation, async () =>
    {
        await run().ConfigureAwait(false);
        return true;
    });

    /// <summary>Reads a sequence.</summary>
    /// <exception cref="VectorStoreException">It failed; the cause is its inner exception.</exception>
    public async IAsyncEnumerable<T> RunAsync<T>(
        string operation, IAsyncEnumerable<T> items, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        IAsyncEnumerator<T> each = items.GetAsyncEnumerator(cancellationToken);
        await using (each.ConfigureAwait(false))
        {
            while (await RunAsync(operation, () => each.MoveNextAsync().AsTask()).ConfigureAwait(false))
                yield return each.Current;
        }
    }

    /// <summary>Whether an error is one of the store; errors of the caller, such as arguments that are null, stay what they are.</summary>
    public static bool IsStoreError(Exception e) => e is VectorPipeException or IOException or UnauthorizedAccessException;

    /// <summary>An error of the store with its cause.</summary>
    public VectorStoreException Wrap(string operation, Exception e) => new(e.Message, e)
    {
        VectorStoreSystemName = SystemName,
        VectorStoreName = store,
        CollectionName = collection,
        OperationName = operation,
    };
}
