using Microsoft.Extensions.AI;

namespace VectorPipe.Extensions.Tests.VectorData;

/// <summary>Embeddings of texts without a model: equal texts have equal ones.</summary>
internal sealed class WordGenerator : IEmbeddingGenerator<string, Embedding<float>>
{
    /// <summary>Called at the beginning of each call, which may cancel it.</summary>
    public Action Begins { get; init; } = static () => { };

    /// <summary>Calls.</summary>
    public int Calls { get; private set; }

    public static float[] Of(string text) =>
        [.. Enumerable.Range(0, 4).Select(i => (float)text.Where((_, at) => at % 4 == i).Sum(letter => letter))];

    public Task<GeneratedEmbeddings<Embedding<float>>> GenerateAsync(
        IEnumerable<string> values, EmbeddingGenerationOptions? options = null, CancellationToken cancellationToken = default)
    {
        Calls++;
        Begins();
        cancellationToken.ThrowIfCancellationRequested();
        return Task.FromResult(new GeneratedEmbeddings<Embedding<float>>(values.Select(text => new Embedding<float>(Of(text)))));
    }

    public object? GetService(Type serviceType, object? serviceKey = null) => serviceType.IsInstanceOfType(this) ? this : null;

    public void Dispose()
    {
    }
}
