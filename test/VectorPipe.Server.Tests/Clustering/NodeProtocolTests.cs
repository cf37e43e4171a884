using System.Buffers;
using System.Reflection;
using NUnit.Framework;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Log;
using VectorPipe.Cluster.Members;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>The versions of what nodes share, of which the protocol is the one that they compare.</summary>
internal sealed class NodeProtocolTests
{
    [Test]
    public void A_protocol_is_one_version_of_each_thing_that_nodes_share()
    {
        var batch = new ArrayBufferWriter<byte>();
        LogBatchCodec.Begin(batch);

        // Whoever changes one of these, a call between nodes or the settings of sets, gives the protocol another number, too.
        Assert.That(
            (NodeProtocol.Version, ClusterDatabase.LayoutVersion, (int)batch.WrittenSpan[0],
                ConstantOf("VectorPipe.Model.SchemaLimits", "FormatVersion"),
                ConstantOf("VectorPipe.Collections.Manifests.CollectionManifestCodec", "Version")),
            Is.EqualTo((1, 4, 1, 2u, 2u)));
    }

    private static uint ConstantOf(string type, string name) => (uint)typeof(VectorIndex).Assembly.GetType(type, throwOnError: true)!
        .GetField(name, BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic)!.GetRawConstantValue()!;
}
