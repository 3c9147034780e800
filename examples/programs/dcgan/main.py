"""Deep convolutional generative adversarial networks (Radford, Metz and Chintala, 2015).

    python main.py --dataset fake --dry-run
    python main.py --dataset mnist|cifar10|folder --dataroot DIR --niter 5

Pictures (real_samples.png, fake_samples_epoch_NNN.png) and weights go to --outf.
"""

import argparse
import os
import random

import torch
import torchvision.datasets as dset
import torchvision.utils as vutils
from torch import nn, optim
from torchvision import transforms


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dataset", required=True, help="cifar10 | mnist | folder | fake")
    parser.add_argument("--dataroot", help="path to the data")
    parser.add_argument("--workers", type=int, default=2, help="data loading processes")
    parser.add_argument("--batchSize", type=int, default=64)
    parser.add_argument("--imageSize", type=int, default=64, help="height and width (64)")
    parser.add_argument("--nz", type=int, default=100, help="size of the noise vector")
    parser.add_argument("--ngf", type=int, default=64)
    parser.add_argument("--ndf", type=int, default=64)
    parser.add_argument("--niter", type=int, default=25, help="number of epochs")
    parser.add_argument("--lr", type=float, default=0.0002)
    parser.add_argument("--beta1", type=float, default=0.5)
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--dry-run", action="store_true", help="one training cycle")
    parser.add_argument("--netG", default="", help="weights to go on from")
    parser.add_argument("--netD", default="", help="weights to go on from")
    parser.add_argument("--outf", default=".", help="where pictures and weights go")
    parser.add_argument("--manualSeed", type=int)
    parser.add_argument("--log-interval", type=int, default=100, help="batches between pictures")
    opt = parser.parse_args()
    if opt.dataroot is None and opt.dataset != "fake":
        parser.error(f'--dataroot is needed for the dataset "{opt.dataset}"')
    return opt


def data_of(opt):
    """(data set, number of channels)"""
    size = opt.imageSize
    steps = [transforms.Resize(size), transforms.CenterCrop(size), transforms.ToTensor()]

    def rgb():
        return transforms.Compose([*steps, transforms.Normalize((0.5,) * 3, (0.5,) * 3)])

    if opt.dataset == "folder":
        return dset.ImageFolder(root=opt.dataroot, transform=rgb()), 3
    if opt.dataset == "cifar10":
        return dset.CIFAR10(root=opt.dataroot, download=True, transform=rgb()), 3
    if opt.dataset == "mnist":
        grey = transforms.Compose([*steps, transforms.Normalize((0.5,), (0.5,))])
        return dset.MNIST(root=opt.dataroot, download=True, transform=grey), 1
    if opt.dataset == "fake":
        fake = dset.FakeData(image_size=(3, size, size), transform=transforms.ToTensor())
        return fake, 3
    raise SystemExit(f"unknown dataset {opt.dataset}")


def weights_init(m):
    """Called on every module of both networks."""
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        nn.init.normal_(m.weight, 0.0, 0.02)
    elif classname.find("BatchNorm") != -1:
        nn.init.normal_(m.weight, 1.0, 0.02)
        nn.init.zeros_(m.bias)


class Generator(nn.Module):
    def __init__(self, nz, ngf, nc):
        super().__init__()
        self.main = nn.Sequential(
            *self.block(nz, ngf * 8, 1, 0),  # (N, ngf * 8, 4, 4)
            *self.block(ngf * 8, ngf * 4, 2, 1),
            *self.block(ngf * 4, ngf * 2, 2, 1),
            *self.block(ngf * 2, ngf, 2, 1),
            nn.ConvTranspose2d(ngf, nc, 4, 2, 1, bias=False),  # (N, nc, 64, 64)
            nn.Tanh(),
        )

    @staticmethod
    def block(inside, outside, stride, padding):
        yield nn.ConvTranspose2d(inside, outside, 4, stride, padding, bias=False)
        yield nn.BatchNorm2d(outside)
        yield nn.ReLU(True)

    def forward(self, noise):
        return self.main(noise)


class Discriminator(nn.Module):
    def __init__(self, ndf, nc):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(nc, ndf, 4, 2, 1, bias=False),  # (N, ndf, 32, 32)
            nn.LeakyReLU(0.2, inplace=True),
            *self.block(ndf, ndf * 2),
            *self.block(ndf * 2, ndf * 4),
            *self.block(ndf * 4, ndf * 8),
            nn.Conv2d(ndf * 8, 1, 4, 1, 0, bias=False),
            nn.Sigmoid(),
        )

    @staticmethod
    def block(inside, outside):
        yield nn.Conv2d(inside, outside, 4, 2, 1, bias=False)
        yield nn.BatchNorm2d(outside)
        yield nn.LeakyReLU(0.2, inplace=True)

    def forward(self, pictures):
        return self.main(pictures).view(-1, 1).squeeze(1)


def main():
    opt = arguments()
    os.makedirs(opt.outf, exist_ok=True)
    if opt.manualSeed is None:
        opt.manualSeed = random.randint(1, 10000)
    print("Random Seed: ", opt.manualSeed)
    random.seed(opt.manualSeed)
    torch.manual_seed(opt.manualSeed)
    torch.backends.cudnn.benchmark = True
    device = torch.device("cuda:0" if opt.cuda and torch.cuda.is_available() else "cpu")

    dataset, nc = data_of(opt)
    loader = torch.utils.data.DataLoader(
        dataset, batch_size=opt.batchSize, shuffle=True, num_workers=opt.workers
    )

    netG = Generator(opt.nz, opt.ngf, nc).to(device)
    netG.apply(weights_init)
    if opt.netG:
        netG.load_state_dict(torch.load(opt.netG))
    print(netG)
    netD = Discriminator(opt.ndf, nc).to(device)
    netD.apply(weights_init)
    if opt.netD:
        netD.load_state_dict(torch.load(opt.netD))
    print(netD)

    criterion = nn.BCELoss()
    fixed_noise = torch.randn(opt.batchSize, opt.nz, 1, 1, device=device)
    real_label, fake_label = 1.0, 0.0
    optimizerD = optim.Adam(netD.parameters(), lr=opt.lr, betas=(opt.beta1, 0.999))
    optimizerG = optim.Adam(netG.parameters(), lr=opt.lr, betas=(opt.beta1, 0.999))
    if opt.dry_run:
        opt.niter = 1

    for epoch in range(opt.niter):
        for i, (real, _) in enumerate(loader):
            # the discriminator: maximise log(D(x)) + log(1 - D(G(z)))
            netD.zero_grad()
            real = real.to(device)
            label = torch.full((real.size(0),), real_label, dtype=real.dtype, device=device)
            output = netD(real)
            errD_real = criterion(output, label)
            errD_real.backward()
            D_x = output.mean().item()

            fake = netG(torch.randn(real.size(0), opt.nz, 1, 1, device=device))
            label.fill_(fake_label)
            output = netD(fake.detach())
            errD_fake = criterion(output, label)
            errD_fake.backward()
            D_G_z1 = output.mean().item()
            errD = errD_real + errD_fake
            optimizerD.step()

            # the generator: maximise log(D(G(z)))
            netG.zero_grad()
            label.fill_(real_label)  # for it the fakes should pass as real
            output = netD(fake)
            errG = criterion(output, label)
            errG.backward()
            D_G_z2 = output.mean().item()
            optimizerG.step()

            print(
                f"[{epoch}/{opt.niter}][{i}/{len(loader)}] Loss_D: {errD.item():.4f} "
                f"Loss_G: {errG.item():.4f} D(x): {D_x:.4f} D(G(z)): {D_G_z1:.4f} / {D_G_z2:.4f}"
            )
            if i % opt.log_interval == 0:
                vutils.save_image(real, f"{opt.outf}/real_samples.png", normalize=True)
                shown = netG(fixed_noise).detach()
                name = f"{opt.outf}/fake_samples_epoch_{epoch:03d}.png"
                vutils.save_image(shown, name, normalize=True)
            if opt.dry_run:
                break
        torch.save(netG.state_dict(), f"{opt.outf}/netG_epoch_{epoch}.pth")
        torch.save(netD.state_dict(), f"{opt.outf}/netD_epoch_{epoch}.pth")


if __name__ == "__main__":
    main()
