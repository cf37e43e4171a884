using Microsoft.Extensions.AI;
using Microsoft.Extensions.VectorData;

namespace VectorPipe.Extensions.Tests.VectorData;

/// <summary>Records of a key, a value and a vector of four components.</summary>
internal static class Definitions
{
    public static VectorStoreCollectionDefinition Of(
        Type key, Type? data = null, Type? vector = null, string? function = DistanceFunction.EuclideanSquaredDistance, string? kind = null,
        IEmbeddingGenerator? generator = null) => new()
        {
            Properties =
            [
                new VectorStoreKeyProperty("Id", key),
                new VectorStoreDataProperty("Value", data ?? typeof(int)) { IsIndexed = true },
                new VectorStoreVectorProperty("Vector", vector ?? typeof(ReadOnlyMemory<float>), 4)
                {
                    DistanceFunction = function,
                    IndexKind = kind,
                    EmbeddingGenerator = generator,
                },
            ],
        };
}
