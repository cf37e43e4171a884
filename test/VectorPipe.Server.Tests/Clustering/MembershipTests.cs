using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Cluster.Members;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>Leases and maps of nodes, by a clock that the test advances.</summary>
internal sealed class MembershipTests
{
    private ManualTime _clock = null!;
    private MemoryCatalogue _catalogue = null!;

    [SetUp]
    public void Begin()
    {
        _clock = new ManualTime();
        _catalogue = new MemoryCatalogue(_clock);
    }

    [Test]
    public async Task A_node_renews_its_lease_for_as_long_as_it_runs()
    {
        await using Membership node = await JoinAsync("a");
        for (int i = 0; i < 20; i++)
            await AdvanceAsync(Membership.Lease / 6);

        Assert.That((node.Behind.ContainsKey(node.Self.Id), IsAlive(node)), Is.EqualTo((true, true)));
    }

    [Test]
    public async Task A_node_that_leaves_is_known_to_be_gone_at_once()
    {
        await using Membership stays = await JoinAsync("a");
        Membership leaves = await JoinAsync("b");
        await leaves.DisposeAsync();
        await AdvanceAsync(Membership.Lease / 6);

        Assert.That((IsAlive(leaves), stays.Behind.ContainsKey(leaves.Self.Id)), Is.EqualTo((false, false)));
    }

    [Test]
    public async Task Without_a_catalogue_a_lease_ends_and_the_map_stays_and_then_all_goes_on()
    {
        await using Membership node = await JoinAsync("a");
        await _catalogue.CreateSetAsync("set", default, 1, [[node.Self.Id]], CancellationToken.None);
        await node.RefreshAsync(CancellationToken.None);
        _catalogue.IsDown = true;
        for (int i = 0; i < 7; i++)
            await AdvanceAsync(Membership.Lease / 6);
        ClusterSet? known = node.Map.FindSet("set");
        await Assert.ThrowsAsync<ClusterException>(() => node.RefreshAsync(CancellationToken.None));
        _catalogue.IsDown = false;
        bool wasAlive = IsAlive(node);
        await AdvanceAsync(Membership.Lease / 6);

        Assert.Multiple(() =>
        {
            Assert.That(wasAlive, Is.False);
            Assert.That(known, Is.Not.Null);
            Assert.That((node.Behind.ContainsKey(node.Self.Id), IsAlive(node)), Is.EqualTo((true, true)));
        });
    }

    [Test]
    public async Task A_node_that_was_started_elsewhere_is_told()
    {
        await using Membership first = await JoinAsync("a");
        var told = new TaskCompletionSource();
        first.Superseded += told.SetResult;
        await using Membership second = await JoinAsync("a", first.Self.Id);
        await AdvanceAsync(Membership.Lease / 6);

        await told.Task.WaitAsync(HangBound.Patience);
        for (int i = 0; i < 6; i++)
            await AdvanceAsync(Membership.Lease / 6);
        Assert.That(IsAlive(second), "by its own renewals: the first one has ended");
    }

    [Test]
    public async Task A_node_that_comes_back_among_nodes_of_another_protocol_is_told()
    {
        await using Membership first = await JoinAsync("a");
        var told = new TaskCompletionSource();
        first.Superseded += told.SetResult;

        // It is cut off until its lease is over.
        _catalogue.IsDown = true;
        await AdvanceAsync(Membership.Lease);
        _catalogue.IsDown = false;
        await using Membership second = await Membership.JoinAsync(
            _catalogue, new NodeIdentity(Guid.NewGuid(), "b", "host:2", NodeProtocol.Version + 1), NullLogger.Instance, _clock,
            CancellationToken.None);
        await AdvanceAsync(Membership.Lease / 6);

        await told.Task.WaitAsync(HangBound.Patience);
        Assert.That((IsAlive(first), IsAlive(second)), Is.EqualTo((false, true)));
    }

    [Test]
    public async Task A_node_that_a_database_has_lost_enters_it_again()
    {
        await using Membership node = await JoinAsync("a");
        bool isEnded = false;
        node.Superseded += () => isEnded = true;
        _catalogue.SetBack();
        await AdvanceAsync(Membership.Lease / 6);
        await AdvanceAsync(Membership.Lease / 6);

        Assert.Multiple(() =>
        {
            Assert.That(IsAlive(node));
            Assert.That(isEnded, Is.False);
        });
    }

    [Test]
    public async Task A_change_by_another_node_is_seen_with_the_next_renewal()
    {
        await using Membership node = await JoinAsync("a");
        long before = node.Map.Version;
        await _catalogue.CreateSetAsync("set", default, 1, [[node.Self.Id]], CancellationToken.None);
        await AdvanceAsync(Membership.Lease / 6);
        int reads = _catalogue.Reads;
        await AdvanceAsync(Membership.Lease / 6);

        Assert.Multiple(() =>
        {
            Assert.That(node.Map.FindSet("set"), Is.Not.Null);
            Assert.That(node.Map.Version, Is.GreaterThan(before));
            Assert.That(_catalogue.Reads, Is.EqualTo(reads), "nothing is read that has not changed");
        });
    }

    [Test]
    public async Task Who_follows_the_map_hears_of_each_that_is_read()
    {
        await using Membership node = await JoinAsync("a");
        var heard = new List<ClusterMap>();
        node.Changed += heard.Add;
        await node.RefreshAsync(CancellationToken.None);
        Assert.That(heard, Is.Empty, "it is the same");
        await _catalogue.CreateSetAsync("set", default, 1, [[node.Self.Id]], CancellationToken.None);
        ClusterMap map = await node.RefreshAsync(CancellationToken.None);
        Assert.That(heard, Is.EqualTo(new[] { map }));
    }

    [Test]
    public async Task Many_who_miss_a_set_read_the_map_once()
    {
        await using Membership node = await JoinAsync("a");
        await _catalogue.CreateSetAsync("set", default, 1, [[node.Self.Id]], CancellationToken.None);
        int before = _catalogue.Reads;
        await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => node.RefreshAsync(CancellationToken.None)));

        Assert.That(_catalogue.Reads, Is.EqualTo(before + 1));
    }

    [Test]
    public async Task Many_who_ask_a_catalogue_that_says_nothing_share_that_it_cannot_be_reached()
    {
        await using Membership node = await JoinAsync("a");
        var silence = new TaskCompletionSource();
        (_catalogue.Silence, _catalogue.IsDown) = (silence.Task, true);
        int before = _catalogue.VersionReads;
        Task<ClusterMap>[] asked = [.. Enumerable.Range(0, 20).Select(_ => node.RefreshAsync(CancellationToken.None))];
        silence.SetResult();
        foreach (Task<ClusterMap> one in asked)
            await Assert.ThrowsAsync<ClusterException>(() => one);
        Assert.That(_catalogue.VersionReads - before, Is.InRange(1, 2), "the one that had begun, and one for all who came behind");

        _catalogue.IsDown = false;
        Assert.That((await node.RefreshAsync(CancellationToken.None)).Version, Is.EqualTo(node.Map.Version));
    }

    [Test]
    public async Task A_node_leaves_while_a_catalogue_says_nothing()
    {
        Membership node = await JoinAsync("a");
        _catalogue.Silence = new TaskCompletionSource().Task;
        Task<ClusterMap>[] asked = [.. Enumerable.Range(0, 3).Select(_ => node.RefreshAsync(CancellationToken.None))];
        await node.DisposeAsync();
        foreach (Task<ClusterMap> one in asked)
            await Assert.ThatAsync(() => one, Throws.InstanceOf<OperationCanceledException>().Or.InstanceOf<ObjectDisposedException>());
    }

    [Test]
    public void A_folder_keeps_the_number_of_its_node_and_is_of_one_cluster()
    {
        string folder = Directory.CreateTempSubdirectory("vectorpipe-server-").FullName;
        try
        {
            Guid cluster = Guid.NewGuid(), other = Guid.NewGuid();
            Guid id = NodeIdentity.IdOf(folder, cluster, isNew: true);
            Assert.That(NodeIdentity.IdOf(folder, cluster, isNew: true), Is.EqualTo(id));
            Assert.That(
                () => NodeIdentity.IdOf(folder, other, isNew: false),
                Throws.TypeOf<IOException>().With.Message.Contains($"of cluster {other}, found one of cluster {cluster}"));
            Assert.That(Directory.GetFiles(folder), Has.Length.EqualTo(1));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [TestCase("")]
    [TestCase("none")]
    [TestCase("f1c1f6c4-7ee9-4a10-9b38-d3ef5c6a5a3b")]
    [TestCase("f1c1f6c4-7ee9-4a10-9b38-d3ef5c6a5a3b none")]
    public void A_damaged_number_of_a_node_is_an_error_that_names_the_file(string text)
    {
        string folder = Directory.CreateTempSubdirectory("vectorpipe-server-").FullName;
        try
        {
            string path = Path.Combine(folder, "node-id");
            File.WriteAllText(path, text);
            Assert.That(
                () => NodeIdentity.IdOf(folder, Guid.NewGuid(), isNew: true), Throws.TypeOf<IOException>().With.Message.Contains(path));
            Assert.That(File.ReadAllText(path), Is.EqualTo(text));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private Task<Membership> JoinAsync(string name, Guid? id = null) => Membership.JoinAsync(
        _catalogue, new NodeIdentity(id ?? Guid.NewGuid(), name, "host:1"), NullLogger.Instance, _clock, CancellationToken.None);

    private bool IsAlive(Membership node) => _catalogue.ReadAsync(CancellationToken.None).Result.FindNode(node.Self.Id)!.IsAlive;

    // Returns when every node has renewed, and waits again.
    private async Task AdvanceAsync(TimeSpan time)
    {
        Task next = _clock.NextTimerAsync();
        _clock.Advance(time);
        await next.WaitAsync(HangBound.Patience);
    }
}
