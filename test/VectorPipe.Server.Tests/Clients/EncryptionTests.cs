using System.Globalization;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using NUnit.Framework;
using StackExchange.Redis;

namespace VectorPipe.Server.Tests.Clients;

/// <summary>Connections over TLS.</summary>
[TestFixture]
public sealed class EncryptionTests
{
    private string _folder = null!;
    private X509Certificate2 _certificate = null!;

    [OneTimeSetUp]
    public void MakeCertificate()
    {
        _folder = Directory.CreateTempSubdirectory("vectorpipe-tls-").FullName;
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=127.0.0.1", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        DateTimeOffset now = TimeProvider.System.GetUtcNow();
        _certificate = request.CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
        File.WriteAllText(Path.Combine(_folder, "cert.pem"), _certificate.ExportCertificatePem());
        File.WriteAllText(Path.Combine(_folder, "key.pem"), key.ExportPkcs8PrivateKeyPem());
        File.WriteAllText(
            Path.Combine(_folder, "both.pem"), _certificate.ExportCertificatePem() + "\n" + key.ExportPkcs8PrivateKeyPem());
    }

    [OneTimeTearDown]
    public void Delete()
    {
        _certificate.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [TestCase("cert.pem", "key.pem")]
    [TestCase("both.pem", null)]
    public async Task The_client_of_dotnet_connects_and_searches(string certificate, string? key)
    {
        await using RunningServer server = await RunningServer.StartAsync(options =>
        {
            options.CertificateFile = Path.Combine(_folder, certificate);
            options.KeyFile = key is null ? null : Path.Combine(_folder, key);
        });
        ConfigurationOptions options = ConfigurationOptions.Parse(
            string.Create(CultureInfo.InvariantCulture, $"127.0.0.1:{server.Port},ssl=true,abortConnect=true"));
        options.CertificateValidation += (_, shown, _, errors) =>
            (errors & ~SslPolicyErrors.RemoteCertificateChainErrors) == 0 && shown!.GetCertHashString() == _certificate.GetCertHashString();
        await using ConnectionMultiplexer client = await ConnectionMultiplexer.ConnectAsync(options);
        IDatabase sets = client.GetDatabase();
        Assert.That(await sets.VectorSetAddAsync("k", VectorSetAddRequest.Member("a", new float[] { 1, 0 })));
        Assert.That(await sets.VectorSetLengthAsync("k"), Is.EqualTo(1));
    }

    [Test]
    public async Task A_client_that_knows_the_root_alone_trusts_a_certificate_of_an_authority_in_between()
    {
        DateTimeOffset now = TimeProvider.System.GetUtcNow();
        using ECDsa rootKey = ECDsa.Create(ECCurve.NamedCurves.nistP256), betweenKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using X509Certificate2 root = AuthorityOf("CN=root", rootKey).CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
        using X509Certificate2 between =
            AuthorityOf("CN=between", betweenKey).Create(root, now.AddDays(-1), now.AddDays(1), [1]).CopyWithPrivateKey(betweenKey);
        var request = new CertificateRequest("CN=127.0.0.1", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        using X509Certificate2 own = request.Create(between, now.AddDays(-1), now.AddDays(1), [2]);
        string file = Path.Combine(_folder, "chain.pem");
        await File.WriteAllTextAsync(
            file, own.ExportCertificatePem() + "\n" + between.ExportCertificatePem() + "\n" + key.ExportPkcs8PrivateKeyPem());

        await using RunningServer server = await RunningServer.StartAsync(options => options.CertificateFile = file);
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, server.Port);
        await using var stream = new SslStream(client.GetStream());
        await stream.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = "127.0.0.1",
            CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                CustomTrustStore = { root },
                RevocationMode = X509RevocationMode.NoCheck,
                DisableCertificateDownloads = true,
            },
        });
        await stream.WriteAsync("PING\r\n"u8.ToArray());
        byte[] reply = new byte[7];
        await stream.ReadExactlyAsync(reply);
        Assert.That(reply, Is.EqualTo("+PONG\r\n"u8.ToArray()));

        static CertificateRequest AuthorityOf(string name, ECDsa key)
        {
            var request = new CertificateRequest(name, key, HashAlgorithmName.SHA256);
            request.CertificateExtensions.Add(
                new X509BasicConstraintsExtension(
                    certificateAuthority: true, hasPathLengthConstraint: false, pathLengthConstraint: 0, critical: true));
            return request;
        }
    }

    [Test]
    public async Task A_client_without_encryption_is_not_served()
    {
        await using RunningServer server = await RunningServer.StartAsync(
            options => options.CertificateFile = Path.Combine(_folder, "both.pem"));
        using RespClient client = await server.ConnectAsync();
        await client.SendAsync("PING\r\n"u8.ToArray());
        client.EndSending();
        Assert.That(await client.IsClosedAsync());
    }

    [TestCase("missing.pem")]
    [TestCase("key.pem")]
    public async Task A_certificate_that_is_none_is_an_error_at_the_start(string file)
    {
        await Assert.ThatAsync(
            () => RunningServer.StartAsync(options => options.CertificateFile = Path.Combine(_folder, file)),
            Throws.InstanceOf<IOException>().Or.InstanceOf<CryptographicException>());
    }
}
