using System.IO.Hashing;
using System.Text;
using Microsoft.Extensions.AI;

namespace AspNetCoreRag;

/// <summary>Embeddings without a model: each word counts at two places that its hash determines.</summary>
public sealed class WordCounts : IEmbeddingGenerator<string, Embedding<float>>
{
    public const int Dimension = 256;

    public Task<GeneratedEmbeddings<Embedding<float>>> GenerateAsync(
        IEnumerable<string> values, EmbeddingGenerationOptions? options = null, CancellationToken cancellationToken = default) =>
        Task.FromResult(new GeneratedEmbeddings<Embedding<float>>(values.Select(text => new Embedding<float>(Of(text)))));

    public object? GetService(Type serviceType, object? serviceKey = null) =>
        serviceKey is null && serviceType.IsInstanceOfType(this) ? this : null;

    public void Dispose()
    {
    }

    private static float[] Of(string text)
    {
        var vector = new float[Dimension];
        foreach (string word in text.ToLowerInvariant().Split([' ', '.', ',', '?', '!'], StringSplitOptions.RemoveEmptyEntries))
        {
            uint hash = Crc32.HashToUInt32(Encoding.UTF8.GetBytes(word));
            vector[hash % Dimension]++;
            vector[(hash >> 16) % Dimension]++;
        }

        // A text without words still needs a direction.
        vector[0] += 0.01f;
        return vector;
    }
}
