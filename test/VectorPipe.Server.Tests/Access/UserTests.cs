using System.Globalization;
using System.Net.Sockets;
using System.Text;
using NUnit.Framework;
using StackExchange.Redis;
using VectorPipe.Server.Access;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Tests.Access;

/// <summary>Users, the file of them, and what is done about those who try passwords. Rules and replies: Conformance/access.txt.</summary>
[TestFixture]
public sealed class UserTests
{
    private const string Refused = "-WRONGPASS invalid username-password pair or user is disabled.\r\n";

    private string _file = null!;

    [SetUp]
    public void NameFile() => _file = Path.Combine(Directory.CreateTempSubdirectory("vectorpipe-acl-").FullName, "users.acl");

    [TearDown]
    public void Delete() => Directory.Delete(Path.GetDirectoryName(_file)!, recursive: true);

    [Test]
    public async Task Users_of_a_file_of_Redis_are_those_of_the_server()
    {
        await File.WriteAllTextAsync(
            _file,
            """
            # Written by Redis.
            user default off sanitize-payload resetchannels -@all

            user films on nopass sanitize-payload ~films:* resetchannels -@all +@read +vadd -@scripting
            user admin on >secret allkeys allchannels allcommands

            """);
        await using RunningServer server = await RunningServer.StartAsync(options => options.AccessFile = _file);
        using RespClient client = await server.ConnectAsync();
        Assert.That(await client.CallAsync("PING"), Does.StartWith("-NOAUTH"));
        Assert.That(await client.CallAsync("AUTH", "films", "any"), Is.EqualTo("+OK\r\n"));
        Assert.That(await client.CallAsync("VADD", "films:a", "VALUES", "2", "1", "0", "one"), Is.EqualTo(":1\r\n"));
        Assert.That(await client.CallAsync("VADD", "b", "VALUES", "2", "1", "0", "one"), Does.StartWith("-NOPERM"));
        Assert.That(await client.CallAsync("VREM", "films:a", "one"), Does.StartWith("-NOPERM"));
        Assert.That(await client.CallAsync("AUTH", "admin", "secret"), Is.EqualTo("+OK\r\n"));
        Assert.That(await client.CallAsync("VREM", "films:a", "one"), Is.EqualTo(":1\r\n"));
    }

    [Test]
    public async Task Users_are_saved_and_there_after_a_start()
    {
        await File.WriteAllTextAsync(_file, "user default on nopass ~* &* +@all\n");
        await using RunningServer server = await RunningServer.StartAsync(options => options.AccessFile = _file);
        string before;
        using (RespClient client = await server.ConnectAsync())
        {
            await client.CallAsync("ACL", "SETUSER", "a", "on", ">secret", "~x*", "%R~y", "&n", "+@read", "-vsim", "+client|id");
            before = await client.CallAsync("ACL", "LIST");
            Assert.That(await client.CallAsync("ACL", "SAVE"), Is.EqualTo("+OK\r\n"));
        }

        await server.StopAsync();
        await server.StartAgainAsync();
        using RespClient again = await server.ConnectAsync();
        Assert.That(await again.CallAsync("ACL", "LIST"), Is.EqualTo(before));
        Assert.That(await again.CallAsync("AUTH", "a", "secret"), Is.EqualTo("+OK\r\n"));
        if (!OperatingSystem.IsWindows())
            Assert.That(File.GetUnixFileMode(_file), Is.EqualTo(UnixFileMode.UserRead | UnixFileMode.UserWrite), "nobody else reads it");
    }

    [Test]
    public async Task Loading_changes_rights_at_once_and_ends_connections_of_users_that_are_gone()
    {
        await File.WriteAllTextAsync(_file, "user default on nopass ~* &* +@all\nuser a on nopass +ping\nuser b on nopass +ping\n");
        await using RunningServer server = await RunningServer.StartAsync(options => options.AccessFile = _file);
        using RespClient admin = await server.ConnectAsync(), a = await server.ConnectAsync(), b = await server.ConnectAsync();
        await a.CallAsync("AUTH", "a", "any");
        await b.CallAsync("AUTH", "b", "any");
        await File.WriteAllTextAsync(_file, "user a on nopass +echo\n");
        Assert.That(await admin.CallAsync("ACL", "LOAD"), Is.EqualTo("+OK\r\n"));
        Assert.That(await a.CallAsync("PING"), Does.StartWith("-NOPERM"));
        Assert.That(await a.CallAsync("ECHO", "x"), Is.EqualTo("$1\r\nx\r\n"));
        await Assert.ThatAsync(() => b.CallAsync("PING"), Throws.InstanceOf<IOException>().Or.InstanceOf<SocketException>());
        Assert.That(await admin.CallAsync("PING"), Is.EqualTo("+PONG\r\n"), "the default user is there without a line, too");
    }

    [TestCase("user a +what", "2: rule '+what': Unknown command or category name in ACL")]
    [TestCase("user a (+get ~b)", "2: rule '(+get': Selectors are not supported")]
    [TestCase("user a on\nuser a off", "3: expected each user once, found 'a' again")]
    [TestCase("users a", "2: expected 'user NAME RULE ...', found 'users'")]
    [TestCase("user", "2: expected 'user NAME RULE ...', found 'user'")]
    public async Task A_wrong_line_is_named_and_changes_nothing(string lines, string expected)
    {
        await File.WriteAllTextAsync(_file, "user default on nopass ~* &* +@all\n" + lines);
        await Assert.ThatAsync(
            () => RunningServer.StartAsync(options => options.AccessFile = _file),
            Throws.InstanceOf<AccessFileException>().With.Message.EqualTo($"{_file}:{expected}"));

        await File.WriteAllTextAsync(_file, "user b on nopass +ping\n");
        await using RunningServer server = await RunningServer.StartAsync(options => options.AccessFile = _file);
        using RespClient client = await server.ConnectAsync();
        await File.WriteAllTextAsync(_file, "user default on nopass ~* &* +@all\n" + lines);
        Assert.That(await client.CallAsync("ACL", "LOAD"), Does.StartWith("-ERR").And.Contain(expected));
        Assert.That(await client.CallAsync("ACL", "USERS"), Is.EqualTo("*2\r\n$1\r\nb\r\n$7\r\ndefault\r\n"));
    }

    [Test]
    public async Task Nobody_comes_in_from_other_machines_without_a_password()
    {
        await File.WriteAllTextAsync(_file, "user default on nopass ~* &* +@all\n");
        await Assert.ThatAsync(
            () => RunningServer.StartAsync(options => (options.AccessFile, options.Bind) = (_file, "0.0.0.0")),
            Throws.InstanceOf<AccessFileException>().With.Message.Contains("expected a user default that is off or has a password"));
    }

    [Test]
    public async Task A_user_that_is_removed_is_closed_and_its_log_stays()
    {
        var clock = new ManualTime();
        await using RunningServer server = await RunningServer.StartAsync(clock: clock);
        using RespClient admin = await server.ConnectAsync(), client = await server.ConnectAsync();
        await admin.CallAsync("ACL", "SETUSER", "a", "on", "nopass", "+ping");
        await client.CallAsync("AUTH", "a", "any");
        await client.CallAsync("ECHO", "x");
        await client.CallAsync("ECHO", "x");
        await client.CallAsync("DBSIZE");
        clock.Advance(TimeSpan.FromSeconds(61));
        await client.CallAsync("ECHO", "x");
        string log = await admin.CallAsync("ACL", "LOG");
        Assert.That(log, Does.StartWith("*3\r\n"), "the same again within a minute is one entry");
        Assert.That(log, Does.Contain("$5\r\ncount\r\n:2\r\n"));
        Assert.That(log, Does.Contain("$6\r\nobject\r\n$6\r\ndbsize\r\n$8\r\nusername\r\n$1\r\na\r\n"));
        Assert.That(await admin.CallAsync("ACL", "DELUSER", "a"), Is.EqualTo(":1\r\n"));
        await Assert.ThatAsync(() => client.CallAsync("PING"), Throws.InstanceOf<IOException>().Or.InstanceOf<SocketException>());
        Assert.That(await admin.CallAsync("ACL", "LOG"), Does.StartWith("*3\r\n"));
    }

    [Test]
    public async Task Who_tries_passwords_has_a_few_attempts_a_second()
    {
        var clock = new ManualTime();
        await using RunningServer server = await RunningServer.StartAsync(options => options.Password = "secret", clock);
        using RespClient client = await server.ConnectAsync();
        for (int i = 0; i < FailedAttempts.MostASecond; i++)
            Assert.That(await client.CallAsync("AUTH", "wrong"), Is.EqualTo(Refused));
        using RespClient other = await server.ConnectAsync();
        Assert.That(await other.CallAsync("AUTH", "secret"), Is.EqualTo(Refused), "another connection of the same address");
        clock.Advance(TimeSpan.FromSeconds(1));
        Assert.That(await other.CallAsync("AUTH", "secret"), Is.EqualTo("+OK\r\n"));
    }

    [Test]
    public async Task The_client_of_dotnet_is_the_user_that_it_says()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using (RespClient admin = await server.ConnectAsync())
            await admin.CallAsync("ACL", "SETUSER", "app", "on", ">secret", "~app:*", "+@all", "-@admin", "-@dangerous", "+info");
        await using ConnectionMultiplexer client = await ConnectionMultiplexer.ConnectAsync(string.Create(
            CultureInfo.InvariantCulture, $"127.0.0.1:{server.Port},user=app,password=secret,abortConnect=true"));
        IDatabase sets = client.GetDatabase();
        Assert.That(await sets.VectorSetAddAsync("app:k", VectorSetAddRequest.Member("a", new float[] { 1, 0 })));
        await Assert.ThatAsync(
            () => sets.VectorSetAddAsync("k", VectorSetAddRequest.Member("a", new float[] { 1, 0 })),
            Throws.InstanceOf<RedisServerException>().With.Message.Contains("NOPERM"));
    }

    [TestCase("\u00a0", "character U+00A0")]
    [TestCase("\u2003", "character U+2003")]
    [TestCase("\u0085", "character U+0085")]
    [TestCase("\u2028", "character U+2028")]
    [TestCase("\u0001", "character U+0001")]
    [TestCase("\n", "spaces or null characters")]
    [TestCase(" ", "spaces or null characters")]
    [TestCase("\0", "spaces or null characters")]
    public void What_a_file_of_users_cannot_hold_is_refused(string text, string named)
    {
        var list = AccessList.Open(password: null, file: null, TimeProvider.System);
        Assert.Multiple(() =>
        {
            Assert.That(
                () => list.Set("a" + text + "b", []), Throws.InstanceOf<AccessRuleException>().With.Message.EndsWith("contain " + named));
            foreach (string rule in (string[])["~x", "%R~x", "&x"])
            {
                Assert.That(
                    () => list.Set("a", [rule + text + "y"]),
                    Throws.InstanceOf<AccessRuleException>().With.Message.EndsWith("Patterns can't contain " + named));
            }
        });
        Assert.That(list.Users.Select(user => user.Name), Is.EqualTo(new[] { AccessUser.Default }));
    }

    [Test]
    public async Task Bytes_that_are_no_text_are_refused()
    {
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient client = await server.ConnectAsync();
        foreach (string[] words in (string[][])[["\xff"], ["a", "~\xff*"], ["a", ">\xff"]])
        {
            Assert.That(
                await client.CallAsync(["ACL", "SETUSER", .. words]),
                Is.EqualTo("-ERR ACL SETUSER: expected UTF-8, found other bytes\r\n"));
        }

        Assert.That(await client.CallAsync("ACL", "USERS"), Is.EqualTo("*1\r\n$7\r\ndefault\r\n"));
    }

    [Test]
    public async Task What_is_accepted_is_saved_and_loaded_with_the_same_rights()
    {
        var random = new Random(7);
        const string Characters = "ab*?[]^-\\~%&#(+|é日\u0085\u00a0\u2003\u3000\u200b\ufeff \t\n\r\v\f\0\u0001\u007f";
        string Word() => string.Concat(Enumerable.Range(0, random.Next(4)).Select(_ => Characters[random.Next(Characters.Length)]));
        string[] sets = [.. Enumerable.Range(0, 200).Select(_ => Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(Word())))];
        await File.WriteAllTextAsync(_file, "");
        var list = AccessList.Open(password: null, _file, TimeProvider.System);
        int accepted = 0, refused = 0;
        for (int i = 0; i < 2000; i++)
        {
            string[] rules = [.. Enumerable.Range(0, 3).Select(_ => (string[])["~", "%R~", "%W~", "%RW~", "&", ">"])
                .Select(kinds => kinds[random.Next(kinds.Length)] + Word())];
            try
            {
                list.Set(random.Next(2) == 0 ? "u" + Word() : "user", [random.Next(4) == 0 ? "reset" : "on", .. rules, "+@read"]);
                accepted++;
            }
            catch (AccessRuleException)
            {
                refused++;
            }
        }

        list.Save();
        var again = AccessList.Open(password: null, _file, TimeProvider.System);
        Assert.That((accepted, refused), Is.GreaterThan((100, 100)));
        Assert.That(again.Users.Select(AccessList.Line), Is.EqualTo(list.Users.Select(AccessList.Line)));
        Assert.Multiple(() =>
        {
            foreach ((AccessUser before, AccessUser after) in list.Users.Zip(again.Users))
            {
                foreach (bool isWrite in (bool[])[false, true])
                {
                    Assert.That(
                        sets.Select(set => after.Rights.MayUse(set, isWrite)),
                        Is.EqualTo(sets.Select(set => before.Rights.MayUse(set, isWrite))), AccessList.Line(before));
                }
            }
        });
    }

    [Test]
    public async Task A_pattern_of_any_script_is_one_of_the_names_that_it_shows()
    {
        // As bytes: the client sends a character as a byte.
        static string Utf8(string text) => Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(text));
        await using RunningServer server = await RunningServer.StartAsync();
        using RespClient admin = await server.ConnectAsync(), client = await server.ConnectAsync();
        await admin.CallAsync("ACL", "SETUSER", "a", "on", "nopass", Utf8("~été:*"), Utf8("~日本"), "+vadd");
        await client.CallAsync("AUTH", "a", "any");
        foreach (string set in (string[])["été:a", "été:ü", "日本"])
            Assert.That(await client.CallAsync("VADD", Utf8(set), "VALUES", "2", "1", "0", "e"), Is.EqualTo(":1\r\n"), set);
        foreach (string set in (string[])["ete:a", "日"])
            Assert.That(await client.CallAsync("VADD", Utf8(set), "VALUES", "2", "1", "0", "e"), Does.StartWith("-NOPERM"), set);
        Assert.That(await client.CallAsync("VADD", "\xe9t\xe9:a", "VALUES", "2", "1", "0", "e"), Does.StartWith("-NOPERM"), "Latin-1");
        Assert.That(await admin.CallAsync("ACL", "LIST"), Does.Contain(Utf8("~été:* ~日本")));
    }

    /// <summary>Each command, to a user that may give it and to one that may not.</summary>
    [Test]
    public void Every_command_can_be_allowed_and_forbidden()
    {
        static AccessRights Rights(params string[] rules) =>
            AccessRights.None.WithAll(rules, static (rule, error) => $"{rule}: {error}");
        Assert.Multiple(() =>
        {
            foreach (CommandInfo info in CommandInfo.All.Where(info => !info.IsOpen))
            {
                var command = new RespCommand();
                string[] words = [info.Name, .. Enumerable.Repeat("x", Math.Max(Math.Abs(info.Arity), info.FirstKey + 1) - 1)];
                foreach (string word in words)
                {
                    command.Append(Encoding.UTF8.GetBytes(word));
                    command.EndArgument();
                }

                AccessDenial? Try(params string[] rules) => AccessCheck.Find(Rights(rules), info, command);
                Assert.That(Try("+" + info.Name, "~*", "&*"), Is.Null, info.Name);
                Assert.That(Try("+@all", "-" + info.Name, "~*", "&*"), Is.EqualTo(new AccessDenial("command", info.Name)));
                if (info.FirstKey == 0)
                    continue;
                Assert.That(Try("+@all", "~y", "&*"), Is.EqualTo(new AccessDenial("key", "x")), info.Name);
                bool isWrite = info.Categories.HasFlag(AccessCategory.Write);
                Assert.That(Try("+@all", "%R~*", "&*") is null, Is.EqualTo(!isWrite), info.Name);
                Assert.That(Try("+@all", "%W~*", "&*") is null, Is.EqualTo(isWrite), info.Name);
            }
        });
    }

    [Test]
    public void Rights_are_made_again_from_their_description()
    {
        var random = new Random(211);
        string[] rules =
        [
            "on", "off", "nopass", "resetpass", ">a", ">b", "~*", "~a*", "%R~b", "%W~c", "resetkeys", "&*", "&n.*", "resetchannels",
            "+@all", "-@all", "+@read", "-@write", "+vsim", "-vsim", "+client|id", "-client", "+@vector", "-config|set", "reset",
        ];
        for (int round = 0; round < 300; round++)
        {
            AccessRights rights = AccessRights.None;
            for (int i = 0; i < 8; i++)
            {
                string rule = rules[random.Next(rules.Length)];
                try
                {
                    rights = rights.WithAll([rule], static (_, error) => error);
                }
                catch (AccessRuleException e)
                {
                    Assert.That(e.Message, Does.StartWith("Adding a pattern after the * pattern"), rule);
                }
            }

            string described = rights.Describe();
            AccessRights again = AccessRights.None.WithAll(described.Split(' '), static (rule, error) => $"{rule}: {error}");
            Assert.That(again.Describe(), Is.EqualTo(described));
            Assert.That(
                CommandInfo.AllNumbers.Where(one => again.MayRun(one.Number)).Select(one => one.Name),
                Is.EqualTo(CommandInfo.AllNumbers.Where(one => rights.MayRun(one.Number)).Select(one => one.Name)),
                described);
        }
    }
}
