using NUnit.Framework;
using VectorPipe.Model.Errors;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Api.Sessions;

/// <summary>A session finds the nodes of many keys; a look-up that fails ends all, or itself alone if somebody takes its error.</summary>
[TestFixture]
internal sealed class NodeLookUpTests
{
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: 500);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void Nodes_of_keys_are_found_and_those_of_no_key_are_null()
    {
        using VectorIndex index = _test.Open();
        using SearchSession session = index.OpenLookupSession();
        ulong[] keys = [.. Enumerable.Range(0, 500).Select(row => (ulong)row), ulong.MaxValue];
        uint?[] nodes = new uint?[keys.Length];
        session.FindNodes(keys, nodes, failed: null, default);
        Assert.That(nodes[^1], Is.Null);
        Assert.That(nodes[..^1].Distinct().Count(node => node is not null), Is.EqualTo(500));
        Assert.That(session.Reads.IsFaulted, Is.False);
    }

    [Test]
    public void A_session_for_look_ups_has_no_memory_for_a_query_and_refuses_one()
    {
        using VectorIndex index = _test.Open();
        using SearchSession session = index.OpenLookupSession();
        Assert.That(session.QueriesInFlight, Is.Zero);
        Assert.That(
            () => session.Search<byte>(_test.Rows.AsSpan(0, _test.RowBytes), 1, new SearchHit[1]),
            Throws.InvalidOperationException.With.Message.Contains("look-ups alone"));
        byte[] vector = new byte[_test.RowBytes];
        Assert.That(session.TryGet<byte>(3, vector));
        Assert.That(vector, Is.EqualTo(_test.Rows[(3 * vector.Length)..(4 * vector.Length)]));
    }

    [Test]
    public void An_error_ends_all_look_ups_or_its_own_alone()
    {
        FaultDevice device = null!;
        using VectorIndex index = VectorIndex.Open(
            _test.Directory, new OpenOptions(), (paths, _, _) => device = new FaultDevice(new SimulatedDevice(paths, seed: 1)));
        using SearchSession session = index.OpenLookupSession();
        ulong[] keys = [.. Enumerable.Range(0, 100).Select(row => (ulong)row)];
        uint?[] nodes = new uint?[keys.Length];
        device.Plan = FaultPlan.At(7, new Fault(FaultKind.Errno, Errno.EIO));
        Assert.That(() => session.FindNodes(keys, nodes, failed: null, default), Throws.TypeOf<DeviceException>());

        device.Plan = FaultPlan.At(7, new Fault(FaultKind.Errno, Errno.EIO));
        nodes.AsSpan().Clear();
        var errors = new Dictionary<int, Exception>();
        session.FindNodes(keys, nodes, errors.Add, default);
        Assert.That(errors.Values, Has.One.TypeOf<DeviceException>());
        Assert.That(Enumerable.Range(0, 100).Where(row => nodes[row] is null), Is.EqualTo(errors.Keys));
    }
}
